/** Checks of callback addresses by `corridor doctor --live`, with real servers and names that tests resolve. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option, Redacted } from "effect"
import { askCallbackAddress, callbackAddresses } from "../../src/cli/doctor/CallbackChecks.ts"
import type { ProviderSettings } from "../../src/providers/accounts/ProviderSettings.ts"
import { Dns, makeDns } from "../../src/webhooks/ssrf/Dns.ts"

const serving = (answer: RequestListener) =>
  Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer(answer).listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks/stripe`,
            close: () => server.close()
          })
        )
      )
    }),
    ({ close }) => Effect.sync(close)
  )

describe("a callback address", () => {
  it.scopedLive("is answered by the service, which repeats the id of a request", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { url } = yield* serving((request, response) => {
        asked.push(`${request.method} ${request.url}`)
        response.setHeader("x-request-id", String(request.headers["x-request-id"])).end()
      })
      expect(yield* askCallbackAddress(url)).toEqual(Either.void)
      expect(asked).toEqual(["HEAD /callbacks/stripe"])
    })
  )

  it.scopedLive("is answered by something else, by a server without the provider, or not at all", () =>
    Effect.gen(function* () {
      const parked = yield* serving((_, response) => response.writeHead(200).end())
      expect(yield* askCallbackAddress(parked.url)).toEqual(
        Either.left("is answered with HTTP 200, and not by this service")
      )
      const other = yield* serving((request, response) =>
        response.writeHead(404, { "x-request-id": String(request.headers["x-request-id"]) }).end()
      )
      expect(yield* askCallbackAddress(other.url)).toEqual(
        Either.left("is answered by a server without credentials of this provider")
      )
      other.close()
      expect(yield* askCallbackAddress("http://127.0.0.1:1/callbacks/stripe")).toEqual(
        Either.left("does not answer (ECONNREFUSED)")
      )
    })
  )
})

const party = (platform: Option.Option<Record<string, Redacted.Redacted>>) => ({
  platform,
  replaced: Option.none(),
  baseUrl: "https://api.example",
  certificate: Option.none()
})

const settings: ProviderSettings["Type"] = {
  rawCards: false,
  parties: new Map([
    ["stripe", party(Option.some({ secret_key: Redacted.make("sk_live_x") }))],
    ["circle", party(Option.some({ api_key: Redacted.make("k") }))],
    ["adyen", party(Option.none())]
  ])
}

const names = makeDns(
  new Map([
    ["pay.acme.test", ["93.184.216.34"]],
    ["inside.acme.test", ["10.0.0.7"]]
  ]),
  ["127.0.0.1:1"]
)

const checked = (publicUrl: string, answer: Either.Either<void, string> = Either.void) =>
  callbackAddresses({ publicUrl }, settings, () => Effect.succeed(answer)).pipe(Effect.provideService(Dns, names))

describe("the check of callback addresses", () => {
  it.live.each([
    ["http://pay.acme.test", "PUBLIC_URL is not encrypted"],
    ["https://10.1.2.3", "PUBLIC_URL is not on the public internet"],
    ["https://corridor.internal", "PUBLIC_URL is not on the public internet"],
    ["https://inside.acme.test", "PUBLIC_URL: "],
    ["https://nowhere.acme.test", "PUBLIC_URL: the name nowhere.acme.test cannot be resolved"]
  ])("fails for %s, with each address", ([publicUrl = "", why]) =>
    Effect.gen(function* () {
      const [check, ...others] = yield* checked(publicUrl)
      expect([check?.status, others]).toEqual(["fail", []])
      expect(check?.message).toContain(`${publicUrl}/callbacks/stripe, ${publicUrl}/callbacks/circle: ${why}`)
    })
  )

  it.live("names each that is not answered, and is content with those that are", () =>
    Effect.gen(function* () {
      const at = "https://pay.acme.test/callbacks"
      expect(yield* checked("https://pay.acme.test")).toEqual([
        { name: "Callback addresses", status: "ok", message: `${at}/stripe, ${at}/circle answer` }
      ])
      const [check] = yield* checked("https://pay.acme.test", Either.left("does not answer (ETIMEDOUT)"))
      expect(check).toMatchObject({
        status: "warn",
        message: `${at}/stripe does not answer (ETIMEDOUT); ${at}/circle does not answer (ETIMEDOUT). Start the server, or mend the proxy at PUBLIC_URL.`
      })
    })
  )
})
