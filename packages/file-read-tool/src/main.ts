import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { fileRead } from "./tool.ts";

serve(fileRead, compiled);
