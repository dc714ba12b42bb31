import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { webFetch } from "./tool.ts";

serve(webFetch(compiled.version), compiled);
