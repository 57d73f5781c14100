/**
 * The fakes as third parties of live mode: keys, answers and callbacks say "live", and each is reached over TLS, by a
 * certificate of an authority that the caller trusts.
 */
import { connect, type AddressInfo } from "node:net"
import { createServer } from "node:tls"
import { Effect } from "effect"
import type { ThirdPartyName } from "../../src/domain/Corridor.ts"
import { bodySignature } from "../../src/providers/adyen/AdyenCallbacks.ts"
import type { SnsMessage } from "../../src/providers/circle/CircleSignatures.ts"
import { signatureOf as paystackSignature } from "../../src/providers/paystack/PaystackCallbacks.ts"
import { signatureOf as stripeSignature } from "../../src/providers/stripe/StripeCallbacks.ts"
import { freePort } from "../bench/FreePort.ts"
import type { Identity } from "../webhooks/delivery/Certificates.ts"
import { allFakes, type FakesOptions, type ShippedFake, startFakes } from "./AllFakes.ts"
import { fakeSigner } from "./CircleFakeBodies.ts"
import type { Fake, FakeCallback, FakeReply, FakeRequest } from "./Fake.ts"
import { FakeNotStarted } from "./FakeServer.ts"

type Pair = readonly [test: string, live: string]
type Headers = Readonly<Record<string, string>>

interface LiveMode {
  /** Parts of credentials. */
  readonly keys?: ReadonlyArray<Pair>
  /** Parts of ids, in what it answers and in what it is asked. */
  readonly ids?: ReadonlyArray<Pair>
  /** Parts of JSON texts. */
  readonly texts?: ReadonlyArray<Pair>
  /** Headers that prove a callback with another body. */
  readonly sign?: (body: string, headers: Headers, credentials: Headers) => Headers
  /** Signs anew where the signature is in the body. */
  readonly signBody?: (body: string) => string
}

const signStripe: LiveMode["sign"] = (body, headers, { webhook_secret = "" }) => {
  const time = /^t=(\d+)/.exec(headers["stripe-signature"] ?? "")?.[1] ?? ""
  return { ...headers, "stripe-signature": `t=${time},v1=${stripeSignature(webhook_secret, time, body)}` }
}

const signAdyen: LiveMode["sign"] = (body, headers, { transfer_webhook_secret = "" }) =>
  headers["hmacsignature"] === undefined
    ? headers
    : { ...headers, hmacsignature: bodySignature(body, transfer_webhook_secret) }

const modes: Partial<Readonly<Record<ThirdPartyName, LiveMode>>> = {
  stripe: {
    keys: [["sk_test_", "sk_live_"]],
    ids: [["cs_test_", "cs_live_"]],
    texts: [['"livemode":false', '"livemode":true']],
    sign: signStripe
  },
  paystack: {
    keys: [["sk_test_", "sk_live_"]],
    texts: [['"domain":"test"', '"domain":"live"']],
    sign: (body, headers, { secret_key = "" }) => ({
      ...headers,
      "x-paystack-signature": paystackSignature(secret_key, body)
    })
  },
  adyen: {
    texts: [
      ['"live":"false"', '"live":"true"'],
      ['"environment":"test"', '"environment":"live"']
    ],
    sign: signAdyen
  },
  flutterwave: { keys: [["FLWSECK_TEST-", "FLWSECK-"]] },
  circle: {
    keys: [["SAND_API_KEY:", "LIVE_API_KEY:"]],
    texts: [[":sandbox_platform-notifications-topic", ":prod_platform-notifications-topic"]],
    signBody: (body) => JSON.stringify(fakeSigner().sign(JSON.parse(body) as SnsMessage))
  }
}

const replaced = (text: string, pairs: ReadonlyArray<Pair> = []): string =>
  pairs.reduce((all, [test, live]) => all.replaceAll(test, live), text)

const mapValues = (headers: Headers, change: (value: string) => string): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]))

/** The same fake with an account of live mode. */
const inLiveMode = (fake: Fake): Fake => {
  const { ids = [], keys = [], sign, signBody = (body: string) => body, texts: said = [] } = modes[fake.name] ?? {}
  const texts = [...said, ...ids]
  const backIds = ids.map(([test, live]): Pair => [live, test])
  const credentials = mapValues(fake.credentials, (value) => replaced(value, keys))
  const back = keys.map(([test, live]): Pair => [live, test])
  const asTest = (request: FakeRequest): FakeRequest => ({
    ...request,
    path: replaced(request.path, backIds),
    params: mapValues(request.params, (value) => replaced(value, backIds)),
    query: new URLSearchParams(replaced(request.query.toString(), backIds)),
    body: replaced(request.body, backIds),
    headers: mapValues(request.headers, (value) => replaced(value, back))
  })
  const liveReply = ({ headers = {}, ...rest }: FakeReply): FakeReply => {
    const reply = { ...rest, headers: mapValues(headers, (value) => replaced(value, ids)) }
    if (reply.body === undefined) return reply
    if (typeof reply.body === "string") return { ...reply, body: replaced(reply.body, texts) }
    return { ...reply, body: JSON.parse(replaced(JSON.stringify(reply.body), texts)) as unknown }
  }
  const liveCallback = (callback: FakeCallback): FakeCallback => {
    const body = signBody(replaced(callback.body, texts))
    return { ...callback, body, headers: sign?.(body, callback.headers, credentials) ?? callback.headers }
  }
  const { disputes, refundedByHand } = fake
  return {
    ...fake,
    credentials,
    routes: (world) =>
      fake.routes(world).map((route) => ({
        ...route,
        ...(route.moves === undefined ? {} : { moves: (request) => route.moves?.(asTest(request)) }),
        answer: async (request, scenario) => liveReply(await route.answer(asTest(request), scenario))
      })),
    callbackOf: (entry, world) => {
      const callback = fake.callbackOf(entry, world)
      return callback === undefined ? undefined : liveCallback(callback)
    },
    ...(disputes === undefined
      ? {}
      : {
          disputes: {
            ...disputes,
            callbacksOf: (dispute, world) => disputes.callbacksOf(dispute, world).map(liveCallback)
          }
        }),
    ...(refundedByHand === undefined
      ? {}
      : { refundedByHand: (of, money, world) => liveCallback(refundedByHand(of, money, world)) })
  }
}

/** Ends TLS before a port of this machine. */
const tlsBefore = (port: number, identity: Identity, at = 0) =>
  Effect.acquireRelease(
    Effect.async<{ readonly port: number; readonly close: () => void }, FakeNotStarted>((resume) => {
      const open = new Set<{ destroy: () => void }>()
      const server = createServer(identity, (socket) => {
        const inner = connect(port, "127.0.0.1")
        for (const [one, other] of [
          [socket, inner],
          [inner, socket]
        ] as const) {
          open.add(one)
          one.on("error", () => other.destroy())
          one.on("close", () => {
            open.delete(one)
            other.destroy()
          })
          one.pipe(other)
        }
      })
      server.once("error", ({ message }) => resume(new FakeNotStarted({ message: `A fake cannot listen: ${message}` })))
      server.listen(at, "127.0.0.1", () => {
        const close = () => {
          server.close()
          for (const socket of open) socket.destroy()
        }
        resume(Effect.succeed({ port: (server.address() as AddressInfo).port, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

/** Each at `https://localhost` and a port of its own, by the certificate given for `localhost`. */
export const startLiveFakes = (
  { firstPort: first, ...options }: Omit<FakesOptions, "reachedAt">,
  identity: Identity,
  fakes: ReadonlyArray<ShippedFake> = allFakes
) =>
  Effect.map(
    Effect.forEach(fakes, ({ fake, thirdParty }, at) =>
      Effect.gen(function* () {
        const firstPort = yield* Effect.promise(freePort)
        const { port } = yield* tlsBefore(firstPort, identity, first === undefined ? 0 : first + at)
        const reachedAt = `https://localhost:${port}`
        return yield* startFakes({ ...options, firstPort, reachedAt }, [{ fake: inLiveMode(fake), thirdParty }])
      })
    ),
    (started) => started.flat()
  )
