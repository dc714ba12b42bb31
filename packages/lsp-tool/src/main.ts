import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { lspTool } from "./tool.ts";

serve(lspTool, compiled);
