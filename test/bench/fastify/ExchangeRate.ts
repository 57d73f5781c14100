/** GET /v1/organizations/admin/exchange-rate: a fiat rate, crossed through USD if needed, and locked. */
import type { Pool } from "pg"
import { currencies } from "../../../src/domain/Currency.ts"
import { type Caller, Refusal } from "./Caller.ts"
import { asRate, type Decimal, inverse, multiply, parse, roundedTo, smaller, written } from "./FastifyDecimal.ts"
import type { RateQuery } from "./Schemas.ts"
import { uuidv7 } from "./FastifyPaymentSql.ts"

const BRIDGE = "USD"

const ratesBetween = `
  select from_currency, to_currency, trim_scale(rate)::text as rate, updated_at from rates
  where from_currency in ($1, $2, '${BRIDGE}') and to_currency in ($1, $2, '${BRIDGE}')`

/** Deletes a few unused locks that expired a day ago. */
const lockRate = `
  with old as (
    select org_rate_id from rate_locks where expires_at < now() - interval '1 day'
    order by expires_at desc limit 20 for update skip locked
  ), pruned as (
    delete from rate_locks l using old where l.org_rate_id = old.org_rate_id
      and not exists (select from payments p where p.org_rate_id = l.org_rate_id)
  )
  insert into rate_locks (org_rate_id, org_id, from_currency, to_currency, rate, created_at, expires_at)
  values ($1, $2, $3, $4, trim_scale($5::numeric), now(), now() + interval '15 minutes')
  returning created_at, expires_at`

interface Row {
  readonly from_currency: string
  readonly to_currency: string
  readonly rate: string
  readonly updated_at: Date
}

type Rows = ReadonlyArray<Row>

const find = (rows: Rows, from: string, to: string): Row | undefined =>
  rows.find(({ from_currency, to_currency }) => from_currency === from && to_currency === to)

/** No better than the inverse of a later rate back. */
const setRate = (rows: Rows, row: Row): Decimal => {
  const back = find(rows, row.to_currency, row.from_currency)
  const rate = parse(row.rate)
  return back === undefined || back.updated_at < row.updated_at ? rate : smaller(rate, inverse(parse(back.rate)))
}

const baseRate = (rows: Rows, from: string, to: string): Decimal => {
  const own = find(rows, from, to)
  if (own !== undefined) return setRate(rows, own)
  const [first, second] = [find(rows, from, BRIDGE), find(rows, BRIDGE, to)]
  if (first === undefined || second === undefined) {
    throw new Refusal(404, "NOT_FOUND", `There is no rate from ${from} to ${to}.`)
  }
  const crossed = asRate(multiply(setRate(rows, first), setRate(rows, second)))
  const back = find(rows, to, from)
  return back === undefined ? crossed : smaller(crossed, inverse(parse(back.rate)))
}

const digitsOf = (code: string): number => {
  const digits = currencies.get(code)
  if (digits === undefined) throw new Refusal(404, "NOT_FOUND", `There is no rate for ${code}.`)
  return digits
}

const amountOf = (text: string, digits: number): Decimal => {
  const amount = parse(text)
  if (amount.units === 0n) throw new Refusal(400, "VALIDATION_ERROR", "amount: is not above zero.")
  if (amount.scale > digits)
    throw new Refusal(400, "VALIDATION_ERROR", `amount: has more than ${digits} fraction digits.`)
  return amount
}

export const exchangeRate = async (pool: Pool, { orgId, spreadBasisPoints }: Caller, query: RateQuery) => {
  const { fromCurrency: from, toCurrency: to } = query
  const [fromDigits, toDigits] = [digitsOf(from), digitsOf(to)]
  const amount = query.amount === undefined ? null : amountOf(query.amount, fromDigits)
  const { rows } = await pool.query<Row>({ name: "rates", text: ratesBetween, values: [from, to] })
  const kept = { units: BigInt(10_000 - spreadBasisPoints), scale: 4 }
  const rate = asRate(multiply(baseRate(rows, from, to), kept))
  const id = uuidv7()
  const values = [id, orgId, from, to, written(rate)]
  const locked = await pool.query<{ readonly created_at: Date; readonly expires_at: Date }>({
    name: "lock-rate",
    text: lockRate,
    values
  })
  const { created_at, expires_at } = locked.rows[0]!
  return {
    status: "success",
    message: "Exchange rate, locked until expires_at",
    data: {
      org_rate_id: id,
      from_currency: from,
      to_currency: to,
      rate: Number(written(rate)),
      amount: amount === null ? null : Number(written(amount)),
      target_amount: amount === null ? null : Number(written(roundedTo(multiply(amount, rate), toDigits))),
      expires_at: expires_at.toISOString(),
      created_at: created_at.toISOString()
    }
  }
}
