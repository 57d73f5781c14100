/** Loaded into an instance before its program: sets its wall clock forward or back when it is told to, and ends it with its parent. */
const program = `
  const Real = Date
  let shift = 0
  globalThis.Date = class Date extends Real {
    constructor(...given) {
      if (given.length === 0) super(Real.now() + shift)
      else super(...given)
    }
    static now() {
      return Real.now() + shift
    }
  }
  process.on("message", (message) => { shift = message.shift })
  process.once("disconnect", () => process.kill(process.pid, "SIGKILL"))
  process.channel?.unref()
`

export const shiftedClock = `data:text/javascript,${encodeURIComponent(program)}`
