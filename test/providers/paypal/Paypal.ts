/** What the tests of PayPal share: orders, answers, and an account at its fake. */
import { Duration, Effect } from "effect"
import type { ProviderCall, ProviderReply } from "../../../src/providers/client/ProviderHttp.ts"
import { startFake } from "../../../src/providers/fakes/FakeServer.ts"
import { paypalFake } from "../../../src/providers/paypal/Fake.ts"
import { paypal } from "../../../src/providers/paypal/Paypal.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { accountOf, amount, orderOf, overHttp, type Recorded, replyOf, scripted } from "../judge/Orders.ts"
import { newMailbox } from "../support/Mailbox.ts"

type About = Partial<Omit<PaymentOrder, "country">>

export const byCard = (about: About = {}) =>
  orderOf({ method: "card", country: "GB", money: amount("100.00", "USD"), ...about })

const recipient = { name: "Ada Obi", email: "ada@example.com", phone: null, address: null, externalAccountId: null }

export const toWallet = (about: About = {}) =>
  orderOf({
    flow: "outbound",
    method: "wallet",
    country: "US",
    money: amount("9.87", "USD"),
    payer: null,
    recipient,
    ...about
  })

export const connectedTo = (recorded: Recorded, credentials: Readonly<Record<string, string>>, baseUrl?: string) =>
  paypal.connect(accountOf(paypal, recorded, credentials, baseUrl))

/** An account that is granted a token, and hears from the script whatever else it asks. */
export const answering = (script: (call: ProviderCall) => ProviderReply) => {
  const recorded = scripted((call) =>
    call.path === "/v1/oauth2/token" ? replyOf(200, { access_token: "A21AA", expires_in: 32_400 }) : script(call)
  )
  const asked = () => recorded.calls.filter(({ path }) => path !== "/v1/oauth2/token")
  return { asked, provider: connectedTo(recorded, paypalFake.credentials, "https://api-m.sandbox.paypal.com") }
}

/** An error as PayPal writes it. */
export const problem = (status: number, name: string, issue?: string, about: object = {}): ProviderReply =>
  replyOf(status, { name, message: "No.", debug_id: "1", details: issue === undefined ? [] : [{ issue }], ...about })

export const atFake = Effect.gen(function* () {
  const { callbacks, url } = yield* newMailbox
  const fake = yield* startFake(paypalFake, { callbackUrl: url, pace: Duration.millis(2), late: Duration.millis(5) })
  const recorded = overHttp(fake.url)
  const provider = connectedTo(recorded, fake.credentials, fake.url)
  const approved = (page: string | null | undefined) =>
    Effect.promise(() => fetch(`${page}`, { redirect: "manual" })).pipe(
      Effect.map((response) => new URL(response.headers.get("location") ?? "about:blank"))
    )
  return { fake, recorded, callbacks, provider, approved }
})
