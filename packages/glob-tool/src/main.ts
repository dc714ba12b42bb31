import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { globTool } from "./tool.ts";

serve(globTool, compiled);
