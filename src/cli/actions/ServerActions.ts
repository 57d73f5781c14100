/** `corridor whoami` and `corridor open` */
import { Effect, Option } from "effect"
import { properties } from "../shared/Table.ts"
import { ApiClient, call } from "../shared/ApiClient.ts"
import { onServer } from "../client/RunCommand.ts"
import { spawn } from "node:child_process"
import { rootOf } from "../../client/RequestRules.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { report, Streams } from "../shared/Terminal.ts"
import { Target } from "../shared/CommandTarget.ts"
import type { OrgInput } from "../shared/CommandInput.ts"

const session = Effect.fnUntraced(function* ({ org }: OrgInput) {
  const { root } = yield* ApiClient
  const { data } = yield* call("session", "me", { urlParams: { org_id: Option.getOrUndefined(org) } })
  const { organization } = data
  const text = properties([
    ["Server", `${root} (${data.mode})`],
    [
      "As",
      data.credential === "user" ? data.email : `an API key of ${data.email ?? data.user_id ?? "an unknown user"}`
    ],
    ["Role", data.role],
    ["Organisation", organization === null ? "every one" : `${organization.name} ${organization.org_id}`],
    // Every caller has the access `any`.
    ["May", data.access.filter((right) => right !== "any").join(", ") || "only what every caller may"]
  ])
  return { data: { server: root, ...data }, text }
})

export const whoami = onServer(session)

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
