/**
 * Keeps test mode and live mode apart. Credentials and addresses of the other mode are refused before anything is sent;
 * answers and callbacks of the other mode are ignored.
 */
import { Effect, Either, Redacted } from "effect"
import type { Mode } from "../../platform/config/Settings.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import { urlOf } from "../../domain/Url.ts"
import { MaybeSent, type ProviderHttp } from "../client/ProviderHttp.ts"
import type { Provider } from "../port/Provider.ts"
import type { ModeMarks } from "../port/ThirdParty.ts"
import { readJson } from "../client/WireValues.ts"
import type { AnyThirdParty, GivenCredentials } from "./ThirdParties.ts"

type Declared = Pick<AnyThirdParty, "fields" | "modes" | "title">

const modeBy = ({ live, sandbox }: ModeMarks, text: string): Mode | undefined => {
  if (sandbox.test(text)) return "sandbox"
  return live?.test(text) === true ? "live" : undefined
}

const words = { sandbox: "test mode", live: "live mode" } as const

const complaint = (title: string, shown: Mode, mode: Mode): string =>
  `is of ${title}'s ${words[shown]}, and CORRIDOR_MODE is ${mode}`

const wrong = ({ title }: Declared, mode: Mode, marks: ModeMarks | undefined, text: string): string | undefined => {
  const shown = marks === undefined ? undefined : modeBy(marks, text)
  return shown === undefined || shown === mode ? undefined : complaint(title, shown, mode)
}

/** The first credential of the other mode: its field, and a reason that never repeats the value. */
export const credentialOfOtherMode = (
  party: Declared,
  mode: Mode,
  credentials: GivenCredentials
): { readonly field: string; readonly reason: string } | undefined => {
  for (const [field, value] of Object.entries(credentials)) {
    const reason = wrong(party, mode, party.fields[field]?.marks, Redacted.value(value))
    if (reason !== undefined) return { field, reason }
  }
  return undefined
}

/** Hosts other than the third party's own, such as a fake's, have no mode. */
export const addressOfOtherMode = (party: Declared, mode: Mode, baseUrl: string): string | undefined =>
  wrong(party, mode, party.modes.hosts, urlOf(baseUrl)?.hostname ?? "")

/** The mode that credentials and address show; undefined where they show none. */
export const shownMode = (party: Declared, credentials: GivenCredentials, baseUrl: string): Mode | undefined => {
  const { fields, modes } = party
  const byHost = modes.hosts === undefined ? undefined : modeBy(modes.hosts, urlOf(baseUrl)?.hostname ?? "")
  const byField = Object.entries(credentials).flatMap(([name, value]) => {
    const marks = fields[name]?.marks
    return marks === undefined ? [] : [modeBy(marks, Redacted.value(value))]
  })
  return [...byField, byHost].find((one) => one !== undefined)
}

const membersOf = (json: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const isObject = (one: unknown): one is Readonly<Record<string, unknown>> => typeof one === "object" && one !== null
  if (!isObject(json)) return []
  const { data } = json
  return [json, ...(Array.isArray(data) ? data : [data])].filter(isObject)
}

/** The other mode, if a member of the body names it. */
const otherModeSaid = ({ modes }: Declared, mode: Mode, json: unknown): Mode | undefined => {
  for (const [name, marks] of Object.entries(modes.said ?? {})) {
    for (const one of membersOf(json)) {
      const said = Object.hasOwn(one, name) ? modeBy(marks, String(one[name])) : undefined
      if (said !== undefined && said !== mode) return said
    }
  }
  return undefined
}

const alert = ({ name, title }: Pick<AnyThirdParty, "name" | "title">, what: string, said: Mode, mode: Mode) =>
  alertOperator("other_mode", `${what} ${complaint(title, said, mode)}: it is ignored.`, { provider: name })

/**
 * An answer of the other mode leaves an order unknown: it is neither completed nor sent to another provider, and an
 * operator decides. In live mode no money moved; in sandbox mode real money may have moved.
 */
export const answersInMode = (party: AnyThirdParty, mode: Mode, http: ProviderHttp): ProviderHttp => ({
  call: (call) =>
    Effect.flatMap(http.call(call), (reply) => {
      const said = otherModeSaid(party, mode, reply.json)
      return said === undefined
        ? Effect.succeed(reply)
        : Effect.zipRight(
            alert(party, `An answer to "${call.operation}"`, said, mode),
            new MaybeSent({ reason: `its answer ${complaint(party.title, said, mode)}` })
          )
    })
})

/** Acknowledges a verified callback of the other mode, so that it is not sent again, and drops its events. */
export const callbacksInMode = (party: AnyThirdParty, mode: Mode, provider: Provider): Provider => ({
  ...provider,
  callback: (request) =>
    Effect.flatMap(provider.callback(request), (read) => {
      const isIdle = read.events.length === 0 && read.transfers === undefined
      const json = isIdle ? undefined : readJson(request.body.toString("utf8"))
      const said = json === undefined ? undefined : otherModeSaid(party, mode, Either.getOrUndefined(json))
      return said === undefined
        ? Effect.succeed(read)
        : Effect.as(alert(party, "A callback", said, mode), { ...read, events: [], transfers: [] })
    })
})
