/** All orders at all providers of a run, and whether anybody was asked who must not have been. */
import type { ProviderName } from "../../src/domain/Corridor.ts"
import type { PaymentId } from "../../src/domain/Identifiers.ts"
import type { Money } from "../../src/domain/Money.ts"
import type { Outside } from "../world/Outside.ts"
import { gained, leftOf, type Order } from "./Truth.ts"

export interface Asked {
  readonly provider: ProviderName
  readonly paymentId: PaymentId
  readonly leg: string
  readonly reference: string
}

export class Orders {
  private readonly outside: Outside
  private readonly byReference = new Map<string, Order>()
  private readonly providers = new Map<string, ProviderName>()
  private readonly asks = new Map<string, Asked>()
  private readonly denials = new Set<string>()

  constructor(outside: Outside) {
    this.outside = outside
  }

  /** A call is on its way: everybody who was asked for the same before must have said that it will come to nothing. */
  asked(ask: Asked): void {
    if (this.denials.has(ask.reference) && !this.maySendAgain(ask)) {
      this.outside.problem(`${ask.provider} was sent ${ask.leg} after it had proved that it never had it`)
    }
    this.asks.set(ask.reference, ask)
    for (const other of this.asks.values()) {
      const same = other.paymentId === ask.paymentId && other.leg === ask.leg && other.reference !== ask.reference
      if (same && !this.isDenied(other.reference)) {
        this.outside.problem(
          `${ask.provider} was asked for ${ask.leg} while it is not known what ${other.provider} did with it`
        )
      }
    }
  }

  /** The second leg of a ramp: nobody waits for it, so that what its provider does not have is sent again. */
  private maySendAgain({ leg, paymentId }: Asked): boolean {
    return (
      leg === "outbound" &&
      Array.from(this.asks.values()).some((one) => one.paymentId === paymentId && one.leg === "inbound")
    )
  }

  /** Whoever had it has said, or somebody has found out, that it comes to nothing. */
  deny(reference: string): void {
    this.denials.add(reference)
  }

  private isDenied(reference: string): boolean {
    return this.denials.has(reference) || this.byReference.get(reference)?.denied === true
  }

  add(provider: ProviderName, order: Order): void {
    this.byReference.set(order.reference, order)
    this.providers.set(order.reference, provider)
  }

  find(reference: string): Order | undefined {
    return this.byReference.get(reference)
  }

  /** The first that a provider had of a payment. */
  at(paymentId: PaymentId, provider: string): Order | undefined {
    return Array.from(this.byReference.values()).find(
      (order) => order.paymentId === paymentId && this.providers.get(order.reference) === provider
    )
  }

  providerOf(reference: string): ProviderName | undefined {
    return this.providers.get(reference)
  }

  refundsOf(order: Order): ReadonlyArray<Order> {
    return Array.from(this.byReference.values()).filter((other) => other.of === order)
  }

  isGivingBack(order: Order): boolean {
    return this.refundsOf(order).some(({ state }) => state === "under way")
  }

  mayGiveBack(order: Order, money: Money): boolean {
    if (order.state !== "done") return false
    const underWay = this.refundsOf(order).filter(({ state }) => state === "under way")
    const reserved = underWay.reduce(
      (sum, one) => (one.money.currency === money.currency ? sum + one.money.minor : sum),
      0n
    )
    return leftOf(order, this.refundsOf(order)).some(
      ({ currency, minor }) => currency === money.currency && minor - reserved >= money.minor
    )
  }

  /**
   * What each provider really has because of a payment, by currency, in minor units. `anticipated`: what it is about to give
   * back counts as gone, as it does in the books.
   */
  holdings(paymentId: PaymentId, anticipated = false): ReadonlyMap<string, bigint> {
    const sums = new Map<string, bigint>()
    const add = (provider: string, currency: string, minor: bigint) => {
      const account = `provider/${provider}/${currency}`
      sums.set(account, (sums.get(account) ?? 0n) + minor)
    }
    for (const order of this.byReference.values()) {
      if (order.paymentId !== paymentId) continue
      const provider = this.providers.get(order.reference)!
      for (const [currency, minor] of gained(order)) add(provider, currency, minor)
      if (anticipated && order.of !== null && order.state === "under way") {
        add(provider, order.money.currency, -order.money.minor)
      }
    }
    return sums
  }
}
