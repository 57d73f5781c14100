/** Operations of callers: each draws its request and sends it with its own key. */
import { type Json, responseOf } from "../../simulation/business/ScenarioContext.ts"
import { magicDigits } from "../../fakes/MagicAmounts.ts"
import { callUntilAnswered, type CallContext, headersFor, readJson } from "./ApiCalls.ts"
import type { HttpReply } from "../../simulation/world/SimulationEnvironment.ts"
import type { RequestLog, LoggedRequest } from "./RequestLog.ts"
import { payinCorridors, payoutCorridors } from "./Corridors.ts"
import type { Organisation } from "./ChaosFixtures.ts"
import { setTimeout as pause } from "node:timers/promises"

interface OperationContext extends CallContext {
  readonly organisation: Organisation
  /** Idempotency key, which is also the key of all draws. */
  readonly key: string
  /** Answered payins of the organisation, latest last. */
  readonly payins: Array<{ readonly paymentId: string; readonly amount: number; readonly exponent: number }>
}

type Operation = (context: OperationContext) => Promise<unknown>

const opened = (
  { key, requestLog, organisation }: OperationContext,
  kind: string,
  path: string,
  body: object
): LoggedRequest =>
  requestLog.open({ kind, key, orgId: organisation.orgId, apiKey: organisation.apiKey, path: `/v1${path}`, body })

const asked = (context: OperationContext, kind: string, path: string, body: object): Promise<HttpReply | null> =>
  callUntilAnswered(context, opened(context, kind, path, body))

/** Three of four amounts complete; the others contain the digits of a fault. */
const digitsOf = ({ chance, key }: OperationContext): number =>
  chance.happens(0.75, `${key} completes`)
    ? chance.between(50, 99, `${key} digits`)
    : Number(chance.pick([...magicDigits.map(([digits]) => digits), "21", "22", "24", "27"], `${key} magic`))

const amountOf = (context: OperationContext, exponent: number, times = 1): number => {
  const hundreds = times * context.chance.between(10, 400, `${context.key} hundreds`)
  return exponent === 0 ? hundreds * 100 + digitsOf(context) : hundreds + digitsOf(context) / 100
}

/** Visits the provider's page, as its customer does. */
const visit = (reply: HttpReply): void => {
  const { redirect_url } = responseOf(reply)
  if (typeof redirect_url !== "string") return
  fetch(redirect_url, { signal: AbortSignal.timeout(10_000) })
    .then((page) => page.text())
    .catch(() => undefined)
}

const locked = async (context: OperationContext, from: string, to: string, amount: number): Promise<Json | null> => {
  const path = `/v1/organizations/admin/exchange-rate?fromCurrency=${from}&toCurrency=${to}&amount=${amount}`
  const answer = await readJson(context, context.organisation.apiKey, path, `${context.key} rate`)
  return answer === null ? null : (answer["data"] as Json)
}

/** Amounts large enough for rounding not to matter. */
const WORTH_CHANGING = 1_000

const payin: Operation = async (context) => {
  const { exponent, ...corridor } = context.chance.pick(payinCorridors, `${context.key} place`)
  const crosses = context.chance.happens(0.2, `${context.key} crosses`)
  const amount = amountOf(context, exponent, crosses ? WORTH_CHANGING : 1)
  const rate = crosses ? await locked(context, corridor.currency, "USD", amount) : undefined
  if (rate === null) return
  const reply = await asked(context, crosses ? "cross-currency payin" : "payin", "/payments-init/initiate", {
    ...corridor,
    amount,
    target_amount: rate === undefined ? amount : Number(rate["target_amount"]),
    target_currency: rate === undefined ? corridor.currency : "USD",
    ...(rate === undefined ? {} : { org_rate_id: rate["org_rate_id"] }),
    direction: "payin",
    client_reference: context.key
  })
  if (reply === null || reply.status !== 200) return
  visit(reply)
  context.payins.push({ paymentId: String(responseOf(reply)["payment_id"]), amount, exponent })
}

const payout: Operation = async (context) => {
  const { exponent, whom, ...corridor } = context.chance.pick(payoutCorridors, `${context.key} place`)
  const crosses = context.chance.happens(0.25, `${context.key} crosses`)
  const amount = amountOf(context, crosses ? 2 : exponent)
  const rate = crosses ? await locked(context, "USD", corridor.currency, amount) : undefined
  if (rate === null) return
  await asked(context, crosses ? "cross-currency payout" : "payout", "/payments-init/initiate", {
    ...corridor,
    amount,
    currency: crosses ? "USD" : corridor.currency,
    target_amount: rate === undefined ? amount : Number(rate["target_amount"]),
    target_currency: corridor.currency,
    ...(rate === undefined ? {} : { org_rate_id: rate["org_rate_id"] }),
    direction: "payout",
    beneficiary_id: context.organisation.beneficiaries[whom],
    client_reference: context.key
  })
}

/** A payin that every healthy instance answers at once. */
export const probeOrder = (requestLog: RequestLog, { apiKey, orgId }: Organisation, key: string): LoggedRequest => {
  const { exponent: _, ...corridor } = payinCorridors.find(({ country }) => country === "UG")!
  const amount = 1_050
  const body = {
    ...corridor,
    amount,
    target_amount: amount,
    target_currency: corridor.currency,
    direction: "payin",
    client_reference: key
  }
  return requestLog.open({ kind: "payin", key, orgId, apiKey, path: "/v1/payments-init/initiate", body })
}

/** Recent payins, which may not have completed. */
const LATELY = 12

const refund: Operation = async (context) => {
  const { chance, key, payins } = context
  const older = payins.slice(0, -LATELY)
  if (older.length === 0) return
  const { amount, exponent, paymentId } = chance.pick(older.slice(-100), `${key} which`)
  const scale = 10 ** exponent
  const part = Math.floor((amount * scale) / chance.between(2, 5, `${key} share`)) / scale
  const body = chance.happens(0.4, `${key} whole`) ? {} : { amount: part }
  await asked(context, "refund", `/payments-init/${paymentId}/action`, { action: "refund", reason: key, ...body })
}

const deposit: Operation = (context) => {
  const { id } = context.chance.pick(context.organisation.accounts, `${context.key} account`)
  return asked(context, "deposit", `/virtual-accounts/${id}/simulate-deposit`, { amount: amountOf(context, 2) })
}

const withdraw: Operation = (context) => {
  const { accounts, beneficiaries } = context.organisation
  const { currency, id } = context.chance.pick(accounts, `${context.key} account`)
  const toBank = context.chance.happens(0.5, `${context.key} to a bank`)
  const whom = currency === "KES" ? beneficiaries.kenyan : toBank ? beneficiaries.german : beneficiaries.online
  const body = { amount: amountOf(context, 2), beneficiary_id: whom, description: context.key }
  return asked(context, "withdrawal", `/virtual-accounts/${id}/withdraw`, body)
}

const transfer: Operation = async (context) => {
  const { accounts } = context.organisation
  const from = context.chance.pick(accounts, `${context.key} from`)
  const to = context.chance.pick(
    accounts.filter(({ id }) => id !== from.id),
    `${context.key} to`
  )
  const amount = amountOf(context, 2)
  const crosses = from.currency !== to.currency
  const rate = crosses ? await locked(context, from.currency, to.currency, amount) : undefined
  if (rate === null) return
  await asked(context, "transfer", "/virtual-accounts/transfer", {
    from_account_id: from.id,
    to_account_id: to.id,
    amount,
    ...(rate === undefined ? {} : { org_rate_id: rate["org_rate_id"] })
  })
}

const WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"

const ramp: Operation = async (context) => {
  const isOn = context.chance.happens(0.5, `${context.key} way`)
  const rate = await locked(context, isOn ? "KES" : "USDC", isOn ? "USDC" : "KES", 100)
  if (rate === null) return
  await asked(context, isOn ? "on-ramp" : "off-ramp", "/payments-init/ramp", {
    fiat_currency: "KES",
    fiat_amount: amountOf(context, 2),
    client_rate: Number(rate["rate"]),
    crypto_currency: "USDC",
    crypto_network: "ETHEREUM",
    country: "KE",
    metadata: { key: context.key },
    ...(isOn
      ? { wallet_address: WALLET, mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" } }
      : { beneficiary_id: context.organisation.beneficiaries.kenyan })
  })
}

/** Creates a link and submits its form once or twice. */
const link: Operation = async (context) => {
  const { chance, instances, key, requestLog, organisation } = context
  const { url } = chance.pick(instances, `${key} link`)
  const judged = async (answer: Response): Promise<string> => {
    const body = await answer.text()
    requestLog.checkStatus(`link ${key}`, answer.url, { status: answer.status, body })
    return body
  }
  const made = await fetch(`${url}/v1/orgs/${organisation.orgId}/payment-links`, {
    method: "POST",
    headers: headersFor(organisation.apiKey),
    body: JSON.stringify({ amount: amountOf(context, 2), currency: "KES", country: "KE", amount_type: "fixed" }),
    signal: AbortSignal.timeout(6_000)
  })
  if (made.status !== 201) return judged(made)
  const { data } = (await made.json()) as { readonly data: { readonly link_ref: string } }
  const page = `${url}/pay/${data.link_ref}?method=mobile_money`
  const shown = await judged(await fetch(page, { signal: AbortSignal.timeout(6_000) }))
  const hidden = Array.from(
    shown.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g),
    ([, name = "", value = ""]): [string, string] => [name, value]
  )
  const form = new URLSearchParams([
    ...hidden,
    ["network", "mpesa"],
    ["phone", "+254712345678"],
    ["name", "Ada Obi"],
    ["email", "ada@example.com"]
  ])
  for (let times = chance.between(1, 2, `${key} times`); times > 0; times--) {
    const sent = await fetch(page, {
      method: "POST",
      body: form,
      redirect: "manual",
      signal: AbortSignal.timeout(6_000)
    })
    await judged(sent)
    requestLog.count(`link form ${sent.status}`)
  }
}

const operations: Readonly<Record<string, Operation>> = {
  payin,
  payout,
  refund,
  deposit,
  withdraw,
  transfer,
  ramp,
  /** Browsers have no key: a lost page is no problem. */
  link: (context) => link(context).catch(() => context.requestLog.count("link: none"))
}

const weights = { payin: 34, payout: 22, refund: 12, deposit: 5, withdraw: 9, transfer: 7, ramp: 8, link: 3 }

const runOperation = (context: OperationContext): Promise<unknown> =>
  operations[context.chance.weighed(weights, `${context.key} kind`)]!(context)

export interface CallerLoad {
  readonly callers: number
  /** Pause between two operations of a caller. */
  readonly restMillis: number
}

export const runCallers = async (
  context: CallContext,
  organisations: ReadonlyArray<Organisation>,
  { callers, restMillis }: CallerLoad,
  isOver: () => boolean
): Promise<void> => {
  const payins = new Map<string, OperationContext["payins"]>(organisations.map(({ orgId }) => [orgId, []]))
  const caller = async (number: number): Promise<void> => {
    for (let nth = 1; !isOver(); nth++) {
      const organisation = organisations[(number + nth) % organisations.length]!
      const key = `caller-${number}-${nth}`
      await runOperation({ ...context, organisation, key, payins: payins.get(organisation.orgId)! })
      await pause(restMillis)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, at) => caller(at + 1)))
}
