/** Which providers a payment is offered to, in which order, and why the others are not. Pure: route preview and dispatch share it. */
import { Array as Arr, BigDecimal, Order } from "effect"
import type { ConfigId, OrgId } from "./Identifiers.ts"
import type { CircuitState } from "./CircuitBreaker.ts"
import type { Flow, PaymentMethod, ProviderName } from "./Corridor.ts"
import type { AnyCurrencyCode } from "./CryptoAsset.ts"
import { toPlainText } from "./Decimal.ts"
import type { Money } from "./Money.ts"

export interface Corridor {
  readonly country: string
  readonly paymentMethod: PaymentMethod
  readonly flow: Flow
}

/** What routing reads of a provider configuration. */
export interface RouteConfig {
  readonly config_id: ConfigId
  /** The organisation it is scoped to; null is everybody's. */
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
}

export interface RouteQuestion {
  readonly corridor: Corridor
  readonly orgId: OrgId
  /** What the provider itself would collect or pay: limits are in this currency. */
  readonly money: Money
  readonly configs: ReadonlyArray<RouteConfig>
  /** Nothing, or `configured: false`, for a provider without credentials. */
  readonly providers: (name: ProviderName) =>
    | {
        readonly configured?: boolean
        readonly supports: (currency: AnyCurrencyCode, method: PaymentMethod, flow: Flow) => boolean
      }
    | undefined
  readonly circuit: (name: ProviderName) => CircuitState
  readonly alreadyDeclined?: ReadonlySet<ProviderName>
}

export interface Candidate {
  readonly provider: ProviderName
  readonly config_id: ConfigId
  readonly priority: number
}

export interface Excluded {
  readonly provider: ProviderName
  readonly config_id: ConfigId
  readonly reason: string
}

export interface Route {
  readonly candidates: ReadonlyArray<Candidate>
  readonly excluded: ReadonlyArray<Excluded>
}

/** The organisation's own before everybody's, then the lower priority number, then the older. */
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

/** Why this configuration can never serve this payment, whatever the provider's health. */
const unfitness = (question: RouteQuestion, config: RouteConfig): string | undefined => {
  const { alreadyDeclined, corridor, money, providers } = question
  const { max_amount, min_amount, provider } = config
  if (!config.is_active) return "This configuration is switched off."
  const found = providers(provider)
  if (found === undefined || found.configured === false) {
    return `The provider ${provider} is not switched on: its credentials are not set.`
  }
  if (!found.supports(money.currency, corridor.paymentMethod, corridor.flow)) {
    return `The provider ${provider} does not support ${money.currency} by ${corridor.paymentMethod}, ${corridor.flow}.`
  }
  const amount = money.toDecimal()
  if (min_amount !== null && BigDecimal.lessThan(amount, min_amount)) {
    return `The amount ${money.toString()} is below the minimum of ${toPlainText(min_amount)}.`
  }
  if (max_amount !== null && BigDecimal.greaterThan(amount, max_amount)) {
    return `The amount ${money.toString()} is above the maximum of ${toPlainText(max_amount)}.`
  }
  return alreadyDeclined?.has(provider) === true
    ? `The provider ${provider} has already declined this payment.`
    : undefined
}

const candidateOf = ({ config_id, priority, provider }: RouteConfig): Candidate => ({ provider, config_id, priority })

export const route = (question: RouteQuestion): Route => {
  const reasons = new Map<RouteConfig, string>()
  const ordered = Arr.sort(
    question.configs.filter((config) => isVisible(question, config)),
    preference
  )
  const fit = ordered.filter((config) => {
    const reason = unfitness(question, config)
    if (reason !== undefined) reasons.set(config, reason)
    return reason === undefined
  })
  const healthy = fit.filter((config) => question.circuit(config.provider) !== "open")
  // A provider that may well be down is still better than no provider at all.
  const asked = healthy.length > 0 ? healthy : fit
  for (const config of fit) {
    if (asked.includes(config)) continue
    reasons.set(config, `The provider ${config.provider} has not been answering and is left alone for a while.`)
  }
  const candidates = Arr.dedupeWith(asked, (a, b) => a.provider === b.provider)
  for (const config of asked) {
    if (candidates.includes(config)) continue
    reasons.set(config, `The provider ${config.provider} is already asked through another configuration.`)
  }
  return {
    candidates: candidates.map(candidateOf),
    excluded: ordered.flatMap((config) => {
      const reason = reasons.get(config)
      return reason === undefined ? [] : [{ provider: config.provider, config_id: config.config_id, reason }]
    })
  }
}
