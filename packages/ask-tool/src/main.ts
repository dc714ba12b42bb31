import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { askTool } from "./tool.ts";

serve(askTool, compiled);
