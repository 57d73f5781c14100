/** Loaded before a measured server: reports its CPU time to the parent. */
process.on("message", (message) => {
  if (message === "cpu") process.send?.(process.cpuUsage())
})
// Ends the server with its benchmark.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"))
// Lets a stopped server exit.
process.channel?.unref()
