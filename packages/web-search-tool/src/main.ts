import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { webSearchTool } from "./tool.ts";

serve(webSearchTool, compiled);
