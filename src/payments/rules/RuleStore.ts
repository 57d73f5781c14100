/** Store of risk rules, block and allow lists, and of the payments that rules count. */
import { Context, type Option } from "effect"
import type { OrgId, PaymentId } from "../../domain/Ids.ts"
import type { Flow } from "../../domain/Corridor.ts"
import type { Counted, ListSubject, RuleTerms, Subject } from "../../domain/RiskRules.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Window } from "../../platform/database/Query.ts"
import type { Payment } from "../store/Payment.ts"

/** Whose rules and lists: an organisation's, or the platform's (null). */
export type Owner = OrgId | null

export interface StoredRule extends RuleTerms {
  readonly org_id: Owner
  readonly name: string
  readonly created_at: Date
  readonly updated_at: Date
}

export type NewRule = Omit<StoredRule, "created_at" | "updated_at">

export interface ListEntry {
  readonly entry_id: string
  readonly org_id: Owner
  readonly list: "block" | "allow"
  readonly subject: ListSubject
  readonly value: string
  readonly note: string | null
  readonly created_at: Date
}

export interface EntryFilter {
  readonly list?: ListEntry["list"] | undefined
  readonly subject?: ListSubject | undefined
}

/** What applies to the payments of an organisation. */
export interface RiskConfig {
  readonly rules: ReadonlyArray<NewRule>
  /** Whether the organisation or the platform has an entry on a list. */
  readonly hasLists: boolean
}

export interface Value {
  readonly subject: ListSubject
  readonly value: string
}

/** Payments to count: those of a key, within seconds until now. */
export interface Asked {
  readonly key: string
  readonly owner: Owner
  readonly seconds: number
  readonly direction: Flow | null
}

export interface RecordedSubject {
  readonly key: string
  readonly owner: Owner
  readonly subject: Subject
}

/** A payment as rules are tried on it. */
export interface PastPayment extends Pick<
  Payment,
  | "payment_id"
  | "org_id"
  | "status"
  | "direction"
  | "country"
  | "amount"
  | "payer_details"
  | "mobile_money_details"
  | "card_details"
  | "bank_account"
  | "recipient_info"
  | "ramp"
  | "created_at"
> {
  /** Keys of card and IP address, which only the counts of rules have. */
  readonly recorded: ReadonlyArray<Pick<RecordedSubject, "key" | "subject">>
}

export class RuleStore extends Context.Tag("corridor/RuleStore")<
  RuleStore,
  {
    /** A rule of the same name is replaced. */
    readonly put: (rule: NewRule) => Stored<StoredRule>
    readonly remove: (owner: Owner, name: string) => Stored<Option.Option<StoredRule>>
    /** By name. */
    readonly list: (owner: Owner) => Stored<ReadonlyArray<StoredRule>>
    /** For payments on their way in: concurrent ones share a statement, and the answer is cached. */
    readonly configOf: (orgId: OrgId) => Stored<RiskConfig>
    /** A value that is on the list already keeps its id, and gets the note. */
    readonly addEntry: (entry: Omit<ListEntry, "created_at">) => Stored<ListEntry>
    readonly removeEntry: (owner: Owner, entryId: string) => Stored<Option.Option<ListEntry>>
    readonly entries: (owner: Owner, filter: EntryFilter, window: Window) => Stored<ReadonlyArray<ListEntry>>
    /** Entries of the organisation and the platform that name one of the values. */
    readonly matching: (orgId: OrgId, values: ReadonlyArray<Value>) => Stored<ReadonlyArray<ListEntry>>
    /** Lets payments with these keys wait in turn until the end of the transaction; others go on. */
    readonly lock: (keys: ReadonlyArray<string>) => Stored<void>
    /**
     * Counts the payments of each key that were not failed, rejected or canceled, then records this one. Inside the
     * transaction of the payment, after `lock`.
     */
    readonly count: (
      asked: ReadonlyArray<Asked>,
      payment: { readonly payment_id: PaymentId; readonly org_id: OrgId },
      recorded: ReadonlyArray<RecordedSubject>
    ) => Stored<ReadonlyArray<Counted>>
    /** Payments of the last seconds, newest first. */
    readonly past: (owner: Owner, seconds: number, window: Window) => Stored<ReadonlyArray<PastPayment>>
  }
>() {}

/** Statuses of payments that do not count. */
export const uncountedStatuses = ["failed", "rejected", "canceled"] as const
