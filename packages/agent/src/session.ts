// Conversations on disk, for programs that assemble their own agent. Not covered by semantic versioning.
export * from "@ikigai/session";
