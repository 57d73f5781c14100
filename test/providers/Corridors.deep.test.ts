/**
 * Every corridor that a third party declares, in every currency and network of it, is one that its adapter can be asked
 * for: it builds an order that its fake takes and that the provider's published contract allows.
 */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either } from "effect"
import { formIn, NewSession, taken } from "../fakes/StripeFakeForms.ts"
import { thirdParties } from "../../src/providers/accounts/ThirdParties.ts"
import type { ProviderCall } from "../../src/providers/client/ProviderHttp.ts"
import { allFakes } from "../fakes/AllFakes.ts"
import type { BankAccount, PaymentOrder } from "../../src/providers/port/Provider.ts"
import type { Served } from "../../src/providers/port/ThirdParty.ts"
import { accounts, iban } from "./adyen/AdyenTestOrders.ts"
import { schemaFlaws as flawsAtFlutterwave } from "./flutterwave/FlutterwaveTestOrders.ts"
import { callFlaws as flawsAtMpesa } from "./mpesa/MpesaTestOrders.ts"
import { callFlaws as flawsAtMtn } from "./mtnMomo/MtnMomoTestOrders.ts"
import { againstFake } from "./support/AgainstFake.ts"
import { orderOf } from "./support/TestOrders.ts"
import { type Flaws, publishedContract, unpublished } from "./support/PublishedContract.ts"
import { magicMoney, newReference } from "./support/Samples.ts"

const callingCodes: Readonly<Record<string, string>> = {
  BJ: "+22997123456",
  CG: "+242061234567",
  CI: "+2250701234567",
  CM: "+237671234567",
  GH: "+233241234567",
  GN: "+224661234567",
  KE: "+254712345678",
  LR: "+231881234567",
  RW: "+250781234567",
  SN: "+221771234567",
  SZ: "+26876123456",
  TZ: "+255712345678",
  UG: "+256772123456",
  ZA: "+27831234567",
  ZM: "+260971234567"
}

/** MTN serves the country of the account's own environment. */
const environments: Readonly<Record<string, string>> = {
  BJ: "mtnbenin",
  CG: "mtncongo",
  CI: "mtnivorycoast",
  CM: "mtncameroon",
  GH: "mtnghana",
  GN: "mtnguineaconakry",
  LR: "mtnliberia",
  RW: "mtnrwanda",
  SZ: "mtnswaziland",
  UG: "mtnuganda",
  ZA: "mtnsouthafrica",
  ZM: "mtnzambia"
}

const addresses: Readonly<Record<string, string>> = {
  BASE: "0x52908400098527886E0F7030069857D2E4169EE7",
  ETHEREUM: "0x52908400098527886E0F7030069857D2E4169EE7",
  POLYGON: "0x52908400098527886E0F7030069857D2E4169EE7",
  SOLANA: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
}

const bankIn = (country: string, currency: string): BankAccount => {
  if (currency === "EUR") return iban
  const local = accounts.find((one) => one.country === country && one.currency === currency)
  if (local !== undefined) return { ...local.bank, accountName: "Akinyi Otieno" }
  return {
    accountName: "Akinyi Otieno",
    accountNumber: "0690000031",
    bankCode: "044",
    bankName: "Access Bank",
    country
  }
}

interface Corridor extends Pick<Served, "flow" | "method"> {
  readonly country: string
  readonly currency: string
  readonly network: string | null
}

const corridorsIn = ({ countries, currencies, flow, method, networks }: Served): ReadonlyArray<Corridor> =>
  (countries === "everywhere" ? ["KE"] : countries).flatMap((country) =>
    currencies.flatMap((currency) =>
      (networks ?? [null]).map((network) => ({ method, flow, country, currency, network }))
    )
  )

const orderFor = ({ country, currency, flow, method, network }: Corridor): PaymentOrder => {
  const isOut = flow === "outbound"
  return orderOf({
    reference: newReference(),
    method,
    flow,
    country,
    money: magicMoney(currency, "completes"),
    description: "Order no. 7: “Zwölf” Äpfel & more",
    mobileMoney:
      method === "mobile_money" && network !== null ? { network, phoneNumber: callingCodes[country] ?? "" } : null,
    bank: method === "bank_transfer" && isOut ? bankIn(country, currency) : null,
    walletAddress:
      method === "crypto" && network !== null ? { address: isOut ? (addresses[network] ?? "") : "", network } : null,
    recipient: isOut ? { name: "Akinyi Otieno", email: "akinyi@example.com", phone: "+254712345679" } : null
  })
}

type Judge = (call: ProviderCall) => Flaws

const json = ({ body }: ProviderCall) => JSON.parse(body ?? "null") as Readonly<Record<string, unknown>>

/** Base paths of documents that begin below the address of the account. */
const BELOW = /^\/btl\/v4/

const byDocument = (file: string, form?: typeof formIn): Judge => {
  const { callFlaws } = publishedContract(file, form)
  return (call) => callFlaws({ ...call, path: call.path.replace(BELOW, "") })
}

/** Checks of an order by the provider's own document, by the address that it goes to. */
const judgesOf: Readonly<Record<string, ReadonlyArray<readonly [to: RegExp, file: string, judge?: Judge]>>> = {
  stripe: [
    [/^\/v1\/checkout\//, "stripe.openapi.json", ({ body = "" }) => byStripesFake(body)],
    [/./, "stripe.openapi.json", byDocument("stripe.openapi.json", formIn)]
  ],
  adyen: [
    [/^\/paymentLinks$/, "adyen.openapi.json"],
    [/\/transfers$/, "adyen-transfers.openapi.json"]
  ],
  paypal: [
    [/^\/v2\//, "paypal.openapi.json"],
    [/^\/v1\/payments\//, "paypal-payouts.openapi.json"]
  ],
  paystack: [[/./, "paystack.openapi.json"]],
  mpesa: [[/./, "mpesa-daraja.examples.json", flawsAtMpesa]],
  mtn_momo: [[/./, "mtn-momo-collection.openapi.json", flawsAtMtn]],
  pawapay: [[/./, "pawapay.openapi.json"]],
  circle: [[/./, "circle.openapi.json"]],
  coinbase: [[/./, "coinbase-cdp.openapi.json"]],
  flutterwave: [[/./, "flutterwave.examples.json", (call) => byFlutterwave(call)]]
}

/** The document at hand leaves Checkout Sessions out; the fake takes what the whole one does. */
const pageForm = taken(NewSession)
const byStripesFake = (body: string): ReadonlyArray<string> =>
  Either.match(pageForm(body), { onLeft: (reply) => [JSON.stringify(reply)], onRight: () => [] })

/** Flutterwave published the schemas of its own library instead, and none of them for the page of a card. */
const isUnjudged = ({ path }: ProviderCall): boolean => path === "/v3/payments"

const byFlutterwave: Judge = (call) => {
  const { meta, ...body } = json(call)
  if (isUnjudged(call)) return []
  if (call.path === "/v3/transfers") {
    return [
      ...flawsAtFlutterwave("transferSchema", body),
      ...(meta === undefined ? [] : flawsAtFlutterwave("transferSchema", meta, "otherwise"))
    ]
  }
  return flawsAtFlutterwave(call.path.endsWith("bank_transfer") ? "chargeSchema" : "momoSchema", body)
}

const isPreparation = ({ method, path }: ProviderCall): boolean => method === "GET" || /\/token\/?$/.test(path)

/** Skips the wait for the outcome of an order. */
const withoutOutcome = { pace: Duration.minutes(10) }

for (const party of thirdParties) {
  const { fake } = allFakes.find((one) => one.fake.name === party.name)!
  const judges = judgesOf[party.name] ?? []
  const why = unpublished(...judges.map(([, file]) => file))
  const isJudged = why === ""
  const flawsOf = (call: ProviderCall): Flaws => {
    const [, file, judge] = judges.find(([to]) => to.test(call.path)) ?? []
    return file === undefined ? ["no published contract checks it"] : (judge ?? byDocument(file))(call)
  }

  describe(`the corridors of ${party.title}${isJudged ? "" : ` by its fake alone${why}`}`, () => {
    for (const served of party.serves) {
      const corridors = corridorsIn(served)
      const where = served.countries === "everywhere" ? "everywhere" : served.countries.join(" ")
      it.scopedLive(`${served.method}, ${served.flow}, ${where}, ${served.currencies.slice(0, 6).join(" ")}`, () =>
        Effect.gen(function* () {
          expect(corridors).not.toEqual([])
          const { calls, connectedWith } = yield* againstFake(party, fake, { paces: withoutOutcome })
          for (const corridor of corridors) {
            calls.length = 0
            const environment = party.name === "mtn_momo" ? environments[corridor.country] : undefined
            const provider = connectedWith(environment === undefined ? {} : { target_environment: environment })
            const order = orderFor(corridor)
            const question = { ...corridor, country: order.country, currency: order.money.currency }
            expect([corridor, provider.supports(question)]).toEqual([corridor, Either.void])
            const outcome = yield* provider.initiate(order)
            expect([corridor, outcome._tag, "reason" in outcome ? outcome.reason : null]).toEqual([
              corridor,
              "Accepted",
              null
            ])
            if (!isJudged) continue
            const orders = calls.filter((call) => !isPreparation(call))
            expect(orders).not.toEqual([])
            for (const call of orders) {
              expect([corridor, call.body, flawsOf(call)]).toEqual([corridor, call.body, []])
              // A judge that takes everything would let everything pass.
              if (!isUnjudged(call)) expect(flawsOf({ ...call, body: '{"amount":1}' })).not.toEqual([])
            }
          }
        })
      )
    }
  })
}
