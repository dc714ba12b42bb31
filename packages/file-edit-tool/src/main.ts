import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { fileEdit } from "./tool.ts";

serve(fileEdit, compiled);
