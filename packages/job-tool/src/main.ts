import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { jobTool } from "./tool.ts";

serve(jobTool, compiled);
