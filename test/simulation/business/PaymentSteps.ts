/** Steps that create payments: payins, payouts and ramps, in one currency or two. */
import { Effect } from "effect"
import type { Organisation } from "./SimulationFixtures.ts"
import {
  callApi,
  type ApiRequest,
  jsonOf,
  responseOf,
  type ScenarioContext,
  type StepAction,
  purposeOf,
  type Step
} from "./ScenarioContext.ts"
import { rightPassword } from "../providers/SimulatedProvider.ts"

const payer = { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "+254712345678" }

const card = {
  card_number: "4242424242424242",
  expiry_month: "12",
  expiry_year: "2030",
  cvv: "123",
  card_holder_name: "W"
}

const paymentDetails = {
  mobile_money: { mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" } },
  card: { card_details: card },
  bank_transfer: {
    bank_details: {
      account_name: "W",
      account_number: "1100223344",
      bank_name: "Equity",
      country: "KE",
      bank_code: "68"
    },
    bank_account: { account_number: "9988776655", bank_code: "01", bank_name: "KCB" }
  }
} as const

const toBank = {
  bank_details: {
    account_name: "W",
    account_number: "5500223344",
    bank_name: "Equity",
    country: "KE",
    bank_code: "68"
  },
  bank_account: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" }
}

/** Sometimes small enough for rounding to matter, sometimes large enough for a review. */
const amountOf = ({ env: { chance } }: ScenarioContext, step: Step): number => {
  const purpose = purposeOf(step)
  const size = chance.weighed({ tiny: 1, usual: 8, large: 2 }, `${purpose} size`)
  const [least, most] = { tiny: [100, 999], usual: [1_000, 390_000], large: [400_000, 2_000_000] }[size] as [
    number,
    number
  ]
  return chance.between(least, most, `${purpose} amount`) / 100
}

/** Locks a rate; undefined without an answer. */
export const lockedRate = (
  scenario: ScenarioContext,
  organisation: Organisation,
  from: string,
  to: string,
  amount: number
) =>
  Effect.gen(function* () {
    const query = `fromCurrency=${from}&toCurrency=${to}&amount=${amount}`
    const reply = yield* callApi(scenario, organisation.owner, {
      method: "GET",
      path: `/v1/organizations/admin/exchange-rate?${query}`
    })
    if (reply === null || reply.status !== 200) return undefined
    const data = jsonOf(reply)["data"] as Record<string, unknown>
    return {
      org_rate_id: String(data["org_rate_id"]),
      target_amount: Number(data["target_amount"] ?? data["convertedAmount"] ?? data["converted_amount"]),
      rate: Number(data["rate"])
    }
  })

/** Sends one-time passwords, some of them wrong. */
const answerPassword = (scenario: ScenarioContext, organisation: Organisation, paymentId: string, purpose: string) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const tries = chance.between(1, 6, `${purpose} tries`)
    const right = chance.happens(0.75, `${purpose} knows it`)
    for (let at = 1; at <= tries; at++) {
      yield* Effect.sleep(chance.between(1, 20, `${purpose} types ${at}`) * 1000)
      const otp = right && at === tries ? rightPassword : "000000"
      const path = `/v1/payments-init/${paymentId}/action`
      const key = `${purpose} password ${at}`
      const action = chance.happens(0.1, `${purpose} resend ${at}`)
        ? { action: "resend_otp" }
        : { action: "submit_otp", otp }
      yield* callApi(scenario, organisation.owner, { path, body: action, key })
    }
  })

/** In seconds. */
const HOURS = 3600

const initiate = (scenario: ScenarioContext, organisation: Organisation, step: Step, asked: ApiRequest) =>
  Effect.gen(function* () {
    const purpose = purposeOf(step)
    const { chance } = scenario.env
    const key = chance.happens(0.7, `${purpose} has a key`) ? `key of ${purpose}` : undefined
    const keyed = key === undefined ? asked : { ...asked, key }
    const once = callApi(scenario, organisation.owner, keyed)
    // Some callers repeat the request while the first one runs.
    const hurries = key !== undefined && chance.happens(0.2, `${purpose} hurries`)
    const again = Effect.zipRight(Effect.sleep(chance.pick([1, 60, 200, 500, 3_000], `${purpose} hurries after`)), once)
    const [reply] = yield* Effect.all(hurries ? [once, again] : [once], { concurrency: 2 })
    if (reply === undefined || reply === null || reply.status !== 200) return
    if (key !== undefined && chance.happens(0.3, `${purpose} repeats`)) {
      const seconds = chance.between(1, 100, `${purpose} repeats after`)
      yield* Effect.sleep(chance.pick([seconds, seconds, 2 * HOURS, 22 * HOURS], `${purpose} repeats late`) * 1000)
      yield* once
    }
    const response = responseOf(reply)
    if (response["next_action"] === "collect_otp") {
      yield* answerPassword(scenario, organisation, String(response["payment_id"]), purpose)
    }
  })

export const payin: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const organisation = scenario.organisations[step.by % scenario.organisations.length]!
    const methods = ["mobile_money", "mobile_money", "card", "bank_transfer"] as const
    const drawn = chance.pick(methods, `${purpose} method`)
    const method = scenario.env.focus.ownAccount === true ? "mobile_money" : drawn
    const amount = amountOf(scenario, step)
    const crosses = scenario.env.focus.crosses ?? chance.happens(0.25, `${purpose} crosses`)
    const to = crosses ? chance.pick(["USD", "GHS", "UGX"], `${purpose} to`) : "KES"
    const locked = crosses ? yield* lockedRate(scenario, organisation, "KES", to, amount) : undefined
    if (crosses && locked === undefined) return
    yield* initiate(scenario, organisation, step, {
      path: "/v1/payments-init/initiate",
      body: {
        amount,
        currency: "KES",
        target_amount: locked?.target_amount ?? amount,
        target_currency: to,
        ...(locked === undefined ? {} : { org_rate_id: locked.org_rate_id }),
        payment_method: method,
        direction: "payin",
        country: "KE",
        description: purpose,
        payer_details: payer,
        ...paymentDetails[method]
      }
    })
  })

export const payout: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const organisation = scenario.organisations[step.by % scenario.organisations.length]!
    const method = chance.pick(["mobile_money", "bank_transfer"] as const, `${purpose} method`)
    const crosses = scenario.env.focus.crosses ?? chance.happens(0.2, `${purpose} crosses`)
    const amount = crosses ? chance.between(100, 9_000, `${purpose} dollars`) / 100 : amountOf(scenario, step)
    const locked = crosses ? yield* lockedRate(scenario, organisation, "USD", "KES", amount) : undefined
    if (crosses && locked === undefined) return
    yield* initiate(scenario, organisation, step, {
      path: "/v1/payments-init/initiate",
      body: {
        amount,
        currency: crosses ? "USD" : "KES",
        target_amount: locked?.target_amount ?? amount,
        target_currency: "KES",
        ...(locked === undefined ? {} : { org_rate_id: locked.org_rate_id }),
        payment_method: method,
        direction: "payout",
        country: "KE",
        description: purpose,
        ...(method === "mobile_money"
          ? { beneficiary_id: organisation.phone, ...paymentDetails.mobile_money }
          : { beneficiary_id: organisation.bank, ...toBank })
      }
    })
  })

const wallet = "0x52908400098527886E0F7030069857D2E4169EE7"

export const ramp: StepAction = (scenario, step) =>
  Effect.gen(function* () {
    const { chance } = scenario.env
    const purpose = purposeOf(step)
    const organisation = scenario.organisations[step.by % scenario.organisations.length]!
    const isOn = chance.happens(0.6, `${purpose} way`)
    const fiat_amount = chance.between(1_000, 900_000, `${purpose} amount`) / 100
    const [from, to] = isOn ? ["KES", "USDT"] : ["USDT", "KES"]
    const rate = yield* lockedRate(scenario, organisation, from!, to!, 100)
    if (rate === undefined) return
    const body = {
      fiat_currency: "KES",
      fiat_amount,
      client_rate: rate.rate,
      crypto_currency: "USDT",
      crypto_network: "POLYGON",
      country: "KE",
      ...(isOn
        ? { wallet_address: wallet, bank_details: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" } }
        : { beneficiary_id: organisation.phone })
    }
    const key = chance.happens(0.7, `${purpose} has a key`) ? { key: `key of ${purpose}` } : {}
    yield* callApi(scenario, organisation.owner, { path: "/v1/payments-init/ramp", body, ...key })
  })
