// Which calls may run, for programs that assemble their own agent. Not covered by semantic versioning.
export * from "@ikigai/permission";
