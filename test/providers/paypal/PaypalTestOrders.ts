/** An order of every kind that PayPal serves, its answers, and an account at its fake. */
import type { ProviderCall, ProviderReply } from "../../../src/providers/client/ProviderHttp.ts"
import { paypalFake } from "../../fakes/PaypalFake.ts"
import { paypal } from "../../../src/providers/paypal/PaypalAdapter.ts"
import { againstFake } from "../support/AgainstFake.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { type About, amount, orderOf, recipientNamed } from "../support/TestOrders.ts"
import { replyOf, type Scripted, scripted } from "../support/ScriptedReplies.ts"

export const byCard = (about: About = {}) =>
  orderOf({ method: "card", country: "GB", money: amount("100.00", "USD"), ...about })

const recipient = recipientNamed("Ada Obi", { email: "ada@example.com" })

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

export const connectedTo = ({ http }: Pick<Scripted, "http">, credentials: Readonly<Record<string, string>>) =>
  connected(paypal, http, credentials)

/** Account that is granted a token, and gets all other answers from the script. */
export const answering = (
  script: (call: ProviderCall) => ProviderReply,
  more: Readonly<Record<string, string>> = {}
) => {
  const recorded = scripted((call) =>
    call.path === "/v1/oauth2/token" ? replyOf(200, { access_token: "A21AA", expires_in: 32_400 }) : script(call)
  )
  const asked = () => recorded.calls.filter(({ path }) => path !== "/v1/oauth2/token")
  return { asked, provider: connectedTo(recorded, { ...paypalFake.credentials, ...more }) }
}

/** An error as PayPal writes it. */
export const problem = (status: number, name: string, issue?: string, about: object = {}): ProviderReply =>
  replyOf(status, { name, message: "No.", debug_id: "1", details: issue === undefined ? [] : [{ issue }], ...about })

export const atFake = againstFake(paypal, paypalFake)
