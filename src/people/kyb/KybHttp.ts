import { Effect, Either, Option, ParseResult, Redacted } from "effect"
import { success } from "../../contract/api/Envelope.ts"
import { type KybApi, KybCallback } from "../../contract/api/KybApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { Kyb } from "./Kyb.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { Invalid, TooLarge, unauthorized } from "../../domain/Failure.ts"
import { makeCallbackAbuseLimit } from "../../platform/rateLimits/RateLimits.ts"
import { parseJsonText } from "../../platform/http/RequestJson.ts"
import { validationMessage } from "../../domain/ValidationMessage.ts"
import { json, type Incoming, type Route } from "../../platform/http/Route.ts"
import { checkContentType, decodeUtf8, readPlainBody } from "../../platform/http/RequestBody.ts"
import { createHmac, timingSafeEqual } from "node:crypto"
import { sha256Hex } from "../../domain/Digest.ts"

const shown = <A extends { readonly customer_id: string }>({ customer_id, ...application }: A) => ({
  ...application,
  kyb_customer_id: customer_id
})

export const kybHandlers = Effect.map(Effect.all([Kyb, makePages]), ([kyb, pages]): Handlers<typeof KybApi> => ({
  initiate: ({ path, payload, permit }) =>
    answer("KYB started", kyb.initiate(permit, path.org_id, payload.documents ?? [])),
  list: (request) => {
    const { status } = request.urlParams
    return pages(request, {
      message: "KYB applications",
      filters: { status },
      fetch: (window) => kyb.list(request.permit, status, window),
      idOf: ({ org_id }) => org_id,
      show: ({ documents: _documents, ...application }) => shown(application)
    })
  },
  get: ({ path, permit }) => answer("KYB application", Effect.map(kyb.get(permit, path.kyb_customer_id), shown)),
  approve: ({ path, payload, permit }) =>
    Effect.map(kyb.approve(permit, path.kyb_customer_id, payload.reason ?? null), (application) =>
      success(
        application.kyb_status === "approved"
          ? "KYB application approved"
          : "Approval saved: a second person has to approve",
        shown(application)
      )
    ),
  reject: ({ path, payload, permit }) =>
    answer("KYB application rejected", Effect.map(kyb.reject(permit, path.kyb_customer_id, payload.reason), shown))
}))

export const kybSignature = (secret: string, body: Uint8Array): string =>
  createHmac("sha256", secret).update(body).digest("hex")

/** Compares in constant time. */
export const isSignedBy = (secret: string, body: Uint8Array, given: string): boolean => {
  const expected = Buffer.from(kybSignature(secret, body))
  const offered = Buffer.from(given.toLowerCase())
  return expected.length === offered.length && timingSafeEqual(expected, offered)
}

const invalid = (message: string): Invalid => new Invalid({ message: `${message}.` })

const decode = ParseResult.decodeUnknownEither(KybCallback, { errors: "all" })

const readCallback = ({ request }: Incoming, body: Buffer) =>
  Either.gen(function* () {
    yield* Either.mapLeft(checkContentType(request.headers), invalid)
    const text = yield* Either.mapLeft(decodeUtf8(body), invalid)
    const value = yield* Either.mapLeft(parseJsonText(text), ({ message }) => new Invalid({ message }))
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return yield* Either.left(invalid("The body must be a JSON object"))
    }
    return yield* Either.mapLeft(decode(value), (issue) => invalid(validationMessage(issue)))
  })

/** `POST /v1/organizations/webhook/kyb`: authenticated by a signature over the raw body instead of a credential. */
export const kybCallbackRoutes = Effect.gen(function* () {
  const kyb = yield* Kyb
  const { kybWebhookSecret } = yield* Settings
  const proofs = yield* makeCallbackAbuseLimit("KYB callbacks without proof")

  const isSigned = ({ request }: Incoming, body: Buffer): boolean => {
    const given = request.headers["x-kyb-signature"]
    return Option.exists(
      kybWebhookSecret,
      (secret) => typeof given === "string" && isSignedBy(Redacted.value(secret), body, given)
    )
  }

  const reason = Option.isNone(kybWebhookSecret) ? "KYB_WEBHOOK_SECRET is not set" : "its signature is missing or wrong"

  const handle = Effect.fnUntraced(function* (incoming: Incoming) {
    yield* proofs.admit(incoming.request)
    const body = yield* readPlainBody(incoming.request).pipe(
      Effect.catchTags({
        BodyTooLarge: ({ closeConnection, limit }) =>
          new TooLarge({ message: `The body is larger than ${limit / 1024} KiB.`, closeConnection }),
        BodyAborted: () => Effect.interrupt
      })
    )
    if (!isSigned(incoming, body)) {
      return yield* proofs.refuse(incoming.request, `A KYB callback was refused: ${reason}`, unauthorized())
    }
    const callback = yield* readCallback(incoming, body)
    const { effect, state } = yield* kyb.receive(callback, sha256Hex(body))
    return json(200, success(effect, state))
  })

  const route: Route = { method: "POST", path: "/v1/organizations/webhook/kyb", handle }
  return [route]
})
