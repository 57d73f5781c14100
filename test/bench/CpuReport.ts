/** Loaded before a measured server: answers its parent with the CPU time that the process has used so far. */
process.on("message", (message) => {
  if (message === "cpu") process.send?.(process.cpuUsage())
})
// A benchmark that was killed leaves no server behind.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"))
// The channel to the parent must not keep a server alive that has stopped.
process.channel?.unref()
