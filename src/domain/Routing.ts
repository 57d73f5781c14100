/**
 * Route of a payment: its providers in order, and why the others are left out. Pure: route preview and dispatch share
 * it.
 */
import { Array as Arr, BigDecimal, Either, Order } from "effect"
import type { ConfigId, OrgId } from "./Ids.ts"
import type { CircuitState } from "./CircuitBreaker.ts"
import type { CountryCode } from "./Country.ts"
import type { Flow, PaymentMethod, ProviderName } from "./Corridor.ts"
import type { AnyCurrencyCode } from "./Currency.ts"
import { toPlainText } from "./Decimal.ts"
import { Money } from "./Money.ts"

export interface Corridor {
  readonly country: CountryCode
  readonly paymentMethod: PaymentMethod
  readonly flow: Flow
}

/** Fields of a provider configuration that routing reads. */
export interface RouteConfig {
  readonly config_id: ConfigId
  /** Organisation of the config; null: shared by all. */
  readonly org_id: OrgId | null
  readonly provider: ProviderName
  readonly country: string
  readonly payment_method: PaymentMethod
  readonly direction: Flow
  readonly priority: number
  readonly is_active: boolean
  readonly min_amount: BigDecimal.BigDecimal | null
  readonly max_amount: BigDecimal.BigDecimal | null
  readonly created_at: Date
  /** Whether the organisation has its own account at the provider; otherwise the platform's is used. */
  readonly own_account: boolean
  /** The provider has not taken the credentials of that account yet: nothing is sent through it. */
  readonly untested: boolean
}

/** Capabilities of a provider that routing checks. */
export interface SupportQuestion {
  readonly currency: AnyCurrencyCode
  readonly method: PaymentMethod
  readonly flow: Flow
  readonly country: CountryCode
  /** The mobile network or the chain, where the method has one and it is known. */
  readonly network: string | null
}

export interface RouteQuestion {
  readonly corridor: Corridor
  readonly orgId: OrgId
  /** Amount at the provider; limits are in this currency. */
  readonly money: Money
  readonly configs: ReadonlyArray<RouteConfig>
  /** The mobile network or the chain, where the method has one and it is known. */
  readonly network: string | null
  /** Through the account of this configuration; nothing where there are no credentials. */
  readonly provider: (config: RouteConfig) =>
    | {
        readonly supports: (question: SupportQuestion) => Either.Either<void, string>
        readonly digits?: (question: SupportQuestion) => number | undefined
        readonly takesCardNumbers?: boolean
        readonly needsPayerEmail?: boolean
      }
    | undefined
  /** Of the account that this configuration goes through. */
  readonly circuit: (config: RouteConfig) => CircuitState
  readonly alreadyDeclined?: ReadonlySet<ProviderName>
  /** Moves money that the platform holds for the organisation, so only the platform's account has it. */
  readonly platformOnly?: boolean
  /** Absent: the payer is not known yet. */
  readonly payerHasEmail?: boolean
}

export interface Candidate {
  readonly provider: ProviderName
  readonly config_id: ConfigId
  /** Account fields, as in an attempt. */
  readonly account: ConfigId | null
  readonly own_account: boolean
  readonly priority: number
  /** Whether card numbers are passed on to the provider; otherwise the payer enters the card on its page. */
  readonly takesCardNumbers: boolean
  readonly needsPayerEmail: boolean
}

export interface Excluded {
  readonly provider: ProviderName
  readonly config_id: ConfigId
  readonly reason: string
  /** Digits behind the point that the provider takes, where the amount has more. */
  readonly digits?: number
}

export interface Route {
  readonly candidates: ReadonlyArray<Candidate>
  readonly excluded: ReadonlyArray<Excluded>
}

/** Order: own configs before shared ones, then lower priority number, then older. */
export const preference: Order.Order<RouteConfig> = Order.combineAll([
  Order.mapInput(Order.boolean, (config) => config.org_id === null),
  Order.mapInput(Order.number, (config) => config.priority),
  Order.mapInput(Order.Date, (config) => config.created_at),
  Order.mapInput(Order.string, (config) => config.config_id)
])

const isVisible = ({ corridor, orgId }: RouteQuestion, config: RouteConfig): boolean =>
  (config.org_id === null || config.org_id === orgId) &&
  config.country === corridor.country &&
  config.payment_method === corridor.paymentMethod &&
  config.direction === corridor.flow

/** An account that all organisations share belongs to the platform. */
const isOwnAccount = ({ org_id, own_account }: RouteConfig): boolean => own_account && org_id !== null

interface Unfit {
  readonly reason: string
  readonly digits?: number
}

const unfit = (reason: string): Unfit => ({ reason })

/** Minor units of the smallest amount with so many digits behind the point. */
export const smallestUnit = ({ exponent }: Money, digits: number): bigint =>
  10n ** BigInt(Math.max(0, exponent - digits))

const tooFine = (money: Money, provider: ProviderName, digits: number): Unfit | undefined => {
  const { currency, minor } = money
  const unit = smallestUnit(money, digits)
  if (minor % unit === 0n) return undefined
  const below = new Money({ currency, minor: minor - (minor % unit) })
  const above = new Money({ currency, minor: below.minor + unit })
  const fits = below.isPositive ? `${below.toString()} or ${above.toString()}` : above.toString()
  const most = digits === 0 ? "whole amounts only" : `at most ${digits} digits behind the point`
  return { reason: `${provider} takes ${most}: ${fits} instead of ${money.toString()}.`, digits }
}

/** Why this configuration can never serve this payment, whatever the provider's health. */
const unfitness = (question: RouteQuestion, config: RouteConfig): Unfit | undefined => {
  const { alreadyDeclined, corridor, money, network } = question
  const { max_amount, min_amount, provider } = config
  if (question.platformOnly === true && isOwnAccount(config)) {
    return unfit(
      "Money that the platform holds for the organisation does not go through the organisation's own account."
    )
  }
  if (!config.is_active) return unfit("This configuration is switched off.")
  if (config.untested) {
    return unfit(
      `The credentials of this configuration have not passed their test: set others, or run "corridor providers test ${config.config_id}".`
    )
  }
  const found = question.provider(config)
  if (found === undefined) {
    return unfit(
      config.own_account
        ? "The credentials of this configuration cannot be used: set them again."
        : `The provider ${provider} is not switched on: its credentials are not set.`
    )
  }
  const { country, flow, paymentMethod: method } = corridor
  const asked = { currency: money.currency, method, flow, country, network }
  const supported = found.supports(asked)
  if (Either.isLeft(supported)) return unfit(supported.left)
  if (flow === "inbound" && question.payerHasEmail === false && found.needsPayerEmail === true) {
    return unfit(`${provider} takes no payment without the payer's e-mail address.`)
  }
  const amount = money.toDecimal()
  if (min_amount !== null && BigDecimal.lessThan(amount, min_amount)) {
    return unfit(`The amount ${money.toString()} is below the minimum of ${toPlainText(min_amount)}.`)
  }
  if (max_amount !== null && BigDecimal.greaterThan(amount, max_amount)) {
    return unfit(`The amount ${money.toString()} is above the maximum of ${toPlainText(max_amount)}.`)
  }
  return alreadyDeclined?.has(provider) === true
    ? unfit(`The provider ${provider} has already declined this payment.`)
    : tooFine(money, provider, found.digits?.(asked) ?? money.exponent)
}

/** The account that a configuration's payments go through. */
export const providerAccountOf = ({ config_id, own_account }: RouteConfig): ConfigId | null =>
  own_account ? config_id : null

const candidateOf = ({ provider }: RouteQuestion, config: RouteConfig): Candidate => ({
  provider: config.provider,
  config_id: config.config_id,
  account: providerAccountOf(config),
  own_account: isOwnAccount(config),
  priority: config.priority,
  takesCardNumbers: provider(config)?.takesCardNumbers === true,
  needsPayerEmail: provider(config)?.needsPayerEmail === true
})

export const route = (question: RouteQuestion): Route => {
  const reasons = new Map<RouteConfig, Unfit>()
  const ordered = Arr.sort(
    question.configs.filter((config) => isVisible(question, config)),
    preference
  )
  const fit = ordered.filter((config) => {
    const reason = unfitness(question, config)
    if (reason !== undefined) reasons.set(config, reason)
    return reason === undefined
  })
  const healthy = fit.filter((config) => question.circuit(config) !== "open")
  // A provider that may well be down is still better than no provider at all.
  const asked = healthy.length > 0 ? healthy : fit
  for (const config of fit) {
    if (asked.includes(config)) continue
    reasons.set(
      config,
      unfit(`The provider ${config.provider} did not answer repeatedly: its circuit breaker is open.`)
    )
  }
  const candidates = Arr.dedupeWith(asked, (a, b) => a.provider === b.provider)
  for (const config of asked) {
    if (candidates.includes(config)) continue
    reasons.set(config, unfit(`The provider ${config.provider} is already asked through another configuration.`))
  }
  return {
    candidates: candidates.map((config) => candidateOf(question, config)),
    excluded: ordered.flatMap((config) => {
      const reason = reasons.get(config)
      return reason === undefined ? [] : [{ provider: config.provider, config_id: config.config_id, ...reason }]
    })
  }
}
