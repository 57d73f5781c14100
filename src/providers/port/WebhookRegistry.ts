/**
 * Registers the callback address where a third party's API keeps a list of webhooks. An address that is in the list is
 * never entered again; events that it lacks are added.
 */
import { Effect, type Either, type Option } from "effect"
import { isOk } from "../client/ProviderReplies.ts"
import type { ProviderCall, ProviderReply } from "../client/ProviderHttp.ts"
import type { KnownSecret, RegisteredCallbacks } from "./Provider.ts"

type GivenSecret = RegisteredCallbacks["credentials"]

export interface Webhook {
  readonly id: string
  readonly url: string
  /** `*`: all of them. */
  readonly events: ReadonlyArray<string>
}

export interface WebhookRegistry<W extends Webhook> {
  readonly callbackUrl: string
  /** Events that are read here; none: there is no choice. */
  readonly events: ReadonlyArray<string>
  /** The setting that holds the secret or id; undefined: there is none. */
  readonly setting?: string
  /** Of a setting whose webhook is not listed: why that may be right. */
  readonly hint?: string
  /** Webhooks that are switched on. */
  readonly list: Effect.Effect<ReadonlyArray<W>, string>
  readonly create: Effect.Effect<{ readonly id: string; readonly credentials: GivenSecret }, string>
  readonly setEvents?: (webhook: W, events: ReadonlyArray<string>) => Effect.Effect<unknown, string>
  /** Secret of a webhook that was registered before; nothing where the known one is still right. */
  readonly secretOf: (webhook: W, known: KnownSecret) => Effect.Effect<GivenSecret, string>
  /** Whether the setting belongs to this webhook. */
  readonly isOfSetting?: (webhook: W) => boolean
  /** Waits for what the provider does after the registration, and tells of it. */
  readonly state?: (id: string) => Effect.Effect<string, string>
}

const fail = (message: string) => Effect.fail(message)

/** Calls whose answers are read or refused in words. `needs`: the right that a refused key lacks. */
export const registryCalls =
  <E extends { readonly reason: string }>(
    title: string,
    needs: string,
    call: (about: ProviderCall) => Effect.Effect<ProviderReply, E>
  ) =>
  <A>(about: ProviderCall, decode: (json: unknown) => Option.Option<A>): Effect.Effect<A, string> =>
    Effect.flatMap(
      Effect.mapError(call(about), ({ reason }) => `${title}: ${reason}`),
      (reply): Effect.Effect<A, string> => {
        if (isOk(reply)) {
          return Effect.mapError(decode(reply.json), () => `${title} answered with what cannot be read.`)
        }
        const lacking = reply.status === 401 || reply.status === 403 ? `: ${needs}` : ""
        return fail(`${title} answered HTTP ${reply.status}${lacking}.`)
      }
    )

const sentences = (...all: ReadonlyArray<string | false>): string =>
  all.filter((one) => one !== false && one !== "").join(" ")

export const registerWebhook =
  <W extends Webhook>(registry: WebhookRegistry<W>) =>
  (known: KnownSecret, dryRun = false): Effect.Effect<Either.Either<RegisteredCallbacks, string>> => {
    const { callbackUrl, create, events, hint = "", isOfSetting, list, secretOf, setEvents, setting, state } = registry
    const stateOf = (id: string) => state?.(id) ?? Effect.succeed("")
    return Effect.either(
      Effect.gen(function* () {
        const found = (yield* list).find(({ url }) => url === callbackUrl)
        if (known === "setting" && (found === undefined || isOfSetting?.(found) === false)) {
          return yield* fail(
            sentences(
              `${setting} is set, and is of no webhook there with the address ${callbackUrl}. Unset it, and run this again.`,
              hint
            )
          )
        }
        if (found === undefined) {
          if (dryRun) return { message: `${callbackUrl} would be registered.`, changed: false, credentials: {} }
          const { credentials, id } = yield* create
          return { message: sentences(`Registered as ${id}.`, yield* stateOf(id)), changed: true, credentials }
        }
        const missing = found.events.includes("*") ? [] : events.filter((event) => !found.events.includes(event))
        const before = `Registered before, as ${found.id}.`
        if (dryRun) {
          const added = missing.length > 0 && `${missing.join(", ")} would be added.`
          const secret = known === "none" && setting !== undefined && "Its secret would be stored."
          return { message: sentences(before, added, secret), changed: false, credentials: {} }
        }
        const credentials = known === "setting" ? {} : yield* secretOf(found, known)
        if (missing.length > 0) yield* setEvents?.(found, [...found.events, ...missing]) ?? Effect.void
        return {
          message: sentences(before, missing.length > 0 && `Added ${missing.join(", ")}.`, yield* stateOf(found.id)),
          changed: missing.length > 0,
          credentials
        }
      })
    )
  }
