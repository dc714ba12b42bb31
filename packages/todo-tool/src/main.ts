import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { todoTool } from "./tool.ts";

serve(todoTool, compiled);
