import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { bash } from "./tool.ts";

serve(bash, compiled);
