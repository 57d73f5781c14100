/** `corridor open` */
import { spawn } from "node:child_process"
import { Effect, Option } from "effect"
import { rootOf } from "../../client/Transport.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { report } from "../shared/CommandResult.ts"
import { Streams } from "../shared/Terminal.ts"
import { Target } from "../shared/CommandTarget.ts"

type Page = "console" | "docs"

const programs: Readonly<Record<string, readonly [string, ...Array<string>]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""]
}

/** The browser outlives the command; a machine without one is no failure, since the address is shown. */
const browse = (address: string) =>
  Effect.async<boolean>((resume) => {
    const [program, ...words] = programs[process.platform] ?? ["xdg-open"]
    const child = spawn(program!, [...words, address], { detached: true, stdio: "ignore" })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("spawn", () => {
      child.unref()
      resume(Effect.succeed(true))
    })
  })

const shown = (page: Page) =>
  Effect.gen(function* () {
    const { address } = yield* Target
    const root = Option.isSome(address)
      ? rootOf(address.value)
      : (yield* Effect.provide(Settings, Settings.layer)).publicUrl.replace(/\/+$/, "")
    const url = `${root}/${page}`
    const { watched } = yield* Streams
    const opened = watched && (yield* browse(url))
    return { data: { url, opened }, text: opened ? `Opened ${url}` : url }
  })

export const open = (input: { readonly page: Page; readonly json: boolean }) => report(input.json, shown(input.page))
