/** One line of `corridor doctor`: what was looked at, how it is, and what to do about it. */

export interface Check {
  readonly name: string
  readonly status: "ok" | "warn" | "fail"
  readonly message: string
}

export const ok = (name: string, message: string): Check => ({ name, status: "ok", message })
export const warn = (name: string, message: string): Check => ({ name, status: "warn", message })
export const fail = (name: string, message: string): Check => ({ name, status: "fail", message })
