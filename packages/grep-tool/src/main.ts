import { compiled } from "ikigai:compiled";
import { serve } from "@ikigai/tool-sdk";
import { serveSearch, workerFlag } from "./search-files.ts";
import { grep } from "./tool.ts";

if (process.argv[2] === workerFlag) serveSearch();
else serve(grep, compiled);
