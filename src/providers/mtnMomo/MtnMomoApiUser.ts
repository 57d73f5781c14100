/** API users of MTN's sandbox. Each calls back to one host. In production the partner portal makes them. */
import { Effect, Option, Redacted, Schema } from "effect"
import { type Call, get, postJson, type ProviderCall, type ProviderReply } from "../client/ProviderHttp.ts"
import { isOk } from "../client/ProviderReplies.ts"
import { optionalText, objectReader } from "../client/WireValues.ts"
import type { KnownSecret, Provider } from "../port/Provider.ts"
import { problemIn } from "./MtnMomoAnswers.ts"

const PATH = "/v1_0/apiuser"

const readUser = objectReader({ providerCallbackHost: optionalText })
const readKey = objectReader({ apiKey: Schema.String })

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** MTN keeps what it was given: a host, or an address with it. */
const hostIn = (text: string): string => text.replace(/^https?:\/\//, "").replace(/[:/].*$/, "")

const fail = (message: string) => Effect.fail(message)

const anew = "Set MTN_MOMO_API_USER to a new UUID, unset MTN_MOMO_API_KEY, and run this again."

/** Makes the API user that the settings name, and its key. MTN changes neither the host nor shows the key again. */
export const registerApiUser =
  (call: Call, apiUser: string, callbackUrl: string): NonNullable<Provider["register"]> =>
  (known: KnownSecret, dryRun = false) => {
    const host = new URL(callbackUrl).hostname
    const path = `${PATH}/${encodeURIComponent(apiUser)}`
    const asked = (about: ProviderCall) => Effect.mapError(call(about), ({ reason }) => `MTN MoMo: ${reason}`)
    const refused = (reply: ProviderReply) => fail(`MTN MoMo: ${problemIn(reply)}.`)
    return Effect.either(
      Effect.gen(function* () {
        if (!uuid4.test(apiUser)) return yield* fail(`MTN_MOMO_API_USER is no UUID of version 4. ${anew}`)
        const found = yield* asked(get("read API user", path))
        if (found.status !== 200 && found.status !== 404) return yield* refused(found)
        const isThere = found.status === 200
        const before = Option.getOrUndefined(readUser(found.json))?.providerCallbackHost ?? ""
        if (isThere && hostIn(before) !== host) {
          return yield* fail(
            `The API user calls back to ${before} and not to ${host}, which MTN does not change. ${anew}`
          )
        }
        if (!isThere && known === "setting") {
          return yield* fail(`MTN's sandbox has no API user ${apiUser}, and MTN_MOMO_API_KEY is set. ${anew}`)
        }
        const needsKey = known === "none" || !isThere
        if (dryRun) {
          const user = isThere
            ? `The API user is there, with the callback host ${host}.`
            : "The API user would be made."
          return {
            message: `${user}${needsKey ? " Its key would be made and stored." : ""}`,
            changed: false,
            credentials: {}
          }
        }
        if (!isThere) {
          const made = yield* asked(
            postJson("create API user", PATH, { providerCallbackHost: host }, { "x-reference-id": apiUser })
          )
          if (!isOk(made)) return yield* refused(made)
        }
        const user = isThere ? "The API user was made before" : "The API user is made"
        const message = `${user}, with the callback host ${host}.`
        if (!needsKey) return { message, changed: false, credentials: {} }
        const keyed = yield* asked({ operation: "create API key", method: "POST", path: `${path}/apikey` })
        const key = isOk(keyed) ? readKey(keyed.json) : Option.none()
        if (Option.isNone(key)) return yield* refused(keyed)
        return { message, changed: true, credentials: { api_key: Redacted.make(key.value.apiKey) } }
      })
    )
  }
