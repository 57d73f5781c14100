/** Watches how long other requests have to wait for the event loop. */

/** The longest time for which the process worked without a turn of the event loop. */
export const watchLoop = () => {
  let longest = 0
  let wall = performance.now()
  let cpu = process.cpuUsage()
  let isOver = false
  const look = () => {
    const used = process.cpuUsage(cpu)
    // A machine that is busy with others takes turns away without any work being done here.
    longest = Math.max(longest, Math.min(performance.now() - wall, (used.user + used.system) / 1000))
    wall = performance.now()
    cpu = process.cpuUsage()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  return () => {
    isOver = true
    return longest
  }
}
