import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { agentTool } from "./tool.ts";

serve(agentTool, compiled);
