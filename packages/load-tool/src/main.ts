import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { loadTool } from "./tool.ts";

serve(loadTool, compiled);
