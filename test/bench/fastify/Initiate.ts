/** POST /v1/payments-init/initiate. */
import { Option } from "effect"
import type { Pool } from "pg"
import { CountryCode, isCountryCode } from "../../../src/domain/Country.ts"
import { findNetwork } from "../../../src/domain/MobileNetwork.ts"
import { type Caller, Refusal } from "./Caller.ts"
import { eventsOf, acceptPayment, createPayment, uuidv7 } from "./FastifyPaymentSql.ts"
import type { InitiationBody } from "./Schemas.ts"
import { createHash } from "node:crypto"

/** The provider: stores the order and its callback, and answers at once. */
const RAIL = "fiat"

const openOrder = `
  with owner as (
    insert into rail_payments (reference, rail, state, behaviour, amount, currency, reason, detail)
    values ($1, $2, 'processing', 'completes', $3, $4, null, $5) on conflict do nothing returning rail, reference
  ), scheduled as (
    insert into rail_timers (timer_id, rail, reference, report, event_id, reason, occurred_at, due_at)
    select $6, rail, reference, 'completed', $6, null, now() + interval '1 second', now() + interval '1 second' from owner
  )
  select reference from owner`

const answer = { state: "processing", nextAction: "wait", actionData: {} }
const detail = JSON.stringify({ answer, kind: "collection", wrongPasswords: 0 })

/** Returns the provider's id of the payment. */
const sendOrder = async (pool: Pool, reference: string, amount: string, currency: string): Promise<string> => {
  const values = [reference, RAIL, amount, currency, detail, uuidv7()]
  await pool.query({ name: "open-order", text: openOrder, values })
  return `${RAIL}_${createHash("sha256").update(reference).digest("hex").slice(0, 24)}`
}

interface Config {
  readonly config_id: string
  readonly provider: string
  readonly min_amount: string | null
  readonly max_amount: string | null
}

const route = `
  select config_id, provider, min_amount, max_amount from provider_configs
  where country = $1 and payment_method = 'mobile_money' and direction = 'inbound' and is_active
    and (org_id = $2 or org_id is null)
  order by org_id is null, priority, created_at, config_id`

const invalid = (message: string) => new Refusal(400, "VALIDATION_ERROR", message)

const inCents = (field: string, amount: number): string => {
  const text = amount.toFixed(2)
  if (Number(text) !== amount) throw invalid(`${field}: has more than 2 fraction digits.`)
  return text
}

/** Checks beyond the schema. */
const check = (body: InitiationBody): void => {
  if (body.currency !== body.target_currency || body.amount !== body.target_amount) {
    throw invalid("org_rate_id: is needed when the currencies differ.")
  }
  if (!isCountryCode(body.country)) throw invalid("country: is not a country.")
  if (Option.isNone(findNetwork(CountryCode.make(body.country), body.mobile_money_details.provider))) {
    throw invalid("mobile_money_details.provider: is not a network of the country.")
  }
}

const fits = (amount: number) => (config: Config) =>
  config.provider === RAIL &&
  (config.min_amount === null || amount >= Number(config.min_amount)) &&
  (config.max_amount === null || amount <= Number(config.max_amount))

export const initiate = async (pool: Pool, caller: Caller, body: InitiationBody) => {
  check(body)
  const amount = inCents("amount", body.amount)
  const targetAmount = inCents("target_amount", body.target_amount)
  if (caller.reviewThreshold !== null) throw invalid("amount: reviews are not part of this server.")

  const { orgId, userId } = caller
  const configs = await pool.query<Config>({ name: "route", text: route, values: [body.country, orgId] })
  const config = configs.rows.find(fits(body.amount))
  if (config === undefined) throw new Refusal(422, "NO_ROUTE", "No provider serves this payment.")

  const paymentId = uuidv7()
  const transactionId = uuidv7()
  const attemptId = uuidv7()
  const clientReference = body.client_reference ?? null
  await pool.query({
    name: "create",
    text: createPayment,
    values: [
      paymentId,
      transactionId,
      orgId,
      userId,
      body.country,
      amount,
      body.currency,
      targetAmount,
      body.target_currency,
      clientReference,
      body.description ?? null,
      JSON.stringify(body.payer_details),
      JSON.stringify(body.mobile_money_details),
      JSON.stringify(body.metadata ?? {}),
      JSON.stringify({ user_id: userId, role: caller.role }),
      body.return_url ?? null,
      new Date(),
      attemptId,
      config.provider,
      config.config_id
    ]
  })

  const providerPaymentId = await sendOrder(pool, attemptId, amount, body.currency)

  const at = new Date()
  const facts = {
    payment_id: paymentId,
    transaction_id: transactionId,
    org_id: orgId,
    status: "processing",
    amount: body.amount,
    currency: body.currency,
    target_amount: body.target_amount,
    target_currency: body.target_currency,
    direction: "inbound",
    payment_method: "mobile_money",
    provider: RAIL,
    client_reference: clientReference
  }
  const { data, ids, types } = eventsOf(["payment.processing", "transaction.updated"], facts, "initiated")
  await pool.query({
    name: "accept",
    text: acceptPayment,
    values: [
      paymentId,
      orgId,
      attemptId,
      at,
      RAIL,
      providerPaymentId,
      JSON.stringify({ rail: RAIL }),
      `accepted by ${RAIL}`,
      ids,
      types,
      data
    ]
  })

  return {
    statusCode: 200,
    response: {
      success: true,
      payment_id: paymentId,
      transaction_id: transactionId,
      status: "processing",
      next_action: "wait",
      redirect_url: null,
      provider: RAIL,
      message: "The payment is being processed.",
      payment_data: {
        amount: body.amount,
        currency: body.currency,
        target_amount: body.target_amount,
        target_currency: body.target_currency,
        metadata: body.metadata ?? {}
      }
    }
  }
}
