import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { fileWrite } from "./tool.ts";

serve(fileWrite, compiled);
