/** Interface of a fake. The kit serves it over HTTP, plays faults and sends callbacks. */
import type { Money } from "../../src/domain/Money.ts"
import type { ThirdPartyName } from "../../src/domain/Corridor.ts"
import type { Entry, FakeLedger } from "./FakeLedger.ts"
import type { Scenario } from "./MagicAmounts.ts"

export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface FakeReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown
}

/** Answer that the provider sends to the caller. */
export interface FakeCallback {
  readonly method?: "POST" | "PUT"
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface FakeOrder {
  readonly id: string
  readonly reference: string
  readonly kind: Entry["kind"]
  readonly money: Money
  /** Ends only once the customer has approved it. */
  readonly waits?: boolean
  readonly of?: string
  readonly kept?: Record<string, unknown>
}

/** Services that the kit gives to a fake. */
export interface FakeWorld {
  readonly books: FakeLedger
  /** Address of the fake, for pages that customers are sent to. */
  readonly url: string
  /** Address for callbacks, unless an order names another. */
  readonly callbackUrl: string
  /** Takes an order and brings it to the end that its amount has in store, after which the callbacks are sent. */
  readonly take: (order: FakeOrder) => Entry
  /** The same, where the provider promises that one reference is one order: a repeated one is the order that it has. */
  readonly takeOnce: (order: FakeOrder) => Entry
  /** Sends a callback of its own, such as the result of an enquiry, after the time that an order takes. */
  readonly callBack: (to: string, callback: () => FakeCallback) => void
  /** The customer has agreed to what was waiting. */
  readonly approve: (entry: Entry) => void
  readonly now: () => Date
}

export interface FakeRoute {
  readonly method: string
  /** `/v1/things/:id`. */
  readonly path: string
  /** The money that a request wants moved: then the amount's fault is played before, after or instead of the answer. */
  readonly moves?: (request: FakeRequest) => Money | undefined
  /** `scenario`: of that money; declines and whatever happens later are the fake's own to play. */
  readonly answer: (request: FakeRequest, scenario: Scenario) => FakeReply | Promise<FakeReply>
}

/** Dispute of a payin that was completed. */
export interface Dispute {
  readonly of: Entry
  /** Disputed sum: all that was paid, or a part of it. */
  readonly money: Money
  readonly stage: "opened" | "won" | "lost"
}

/** Disputes as a third party plays them. */
export interface FakeDisputes {
  /** Time of the withdrawal of disputed money: when the dispute opens, or when it is lost. */
  readonly takes: "at once" | "when lost"
  readonly callbacksOf: (dispute: Dispute, world: FakeWorld) => ReadonlyArray<FakeCallback>
}

export interface Fake {
  readonly name: ThirdPartyName
  /** The last two digits of whole units choose what happens: the provider takes no hundredths. */
  readonly wholeUnits?: true
  /** The account that it takes, by the names of the adapter's credential fields. */
  readonly credentials: Readonly<Record<string, string>>
  readonly routes: (world: FakeWorld) => ReadonlyArray<FakeRoute>
  /** The callback about an entry as it stands, or as it stood at its beginning; none where the provider sends none. */
  readonly callbackOf: (entry: Entry, world: FakeWorld) => FakeCallback | undefined
  /** Disputes, where payers can take back what they paid. */
  readonly disputes?: FakeDisputes
  /** Callback about a refund made by hand, of this payin and amount. */
  readonly refundedByHand?: (of: Entry, money: Money, world: FakeWorld) => FakeCallback
}

/** Answers requests of its own account only. */
export const authorizedBy =
  (isLetIn: (request: FakeRequest) => boolean, refusal: FakeReply) =>
  (answer: FakeRoute["answer"]): FakeRoute["answer"] =>
  (request, scenario) =>
    isLetIn(request) ? answer(request, scenario) : refusal

export const hasBearer =
  (token: string) =>
  ({ headers }: FakeRequest): boolean =>
    headers["authorization"] === `Bearer ${token}`

/** The JSON that was sent to a fake; nothing where it is none. */
export const jsonBody = ({ body }: Pick<FakeRequest, "body">): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
