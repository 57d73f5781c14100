/**
 * Gets bank details and addresses for virtual accounts from providers that issue them, and reads the providers' lists of incoming
 * transfers. A worker calls the providers, outside of any transaction; both calls are repeatable.
 */
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type { CreateVirtualAccount } from "../../contract/api/VirtualAccountsApi.ts"
import { builtInRails, type ProviderName, providerNames, thirdPartyNames } from "../../domain/Corridor.ts"
import {
  accountDetailsConcurrency,
  accountDetailsPause,
  incomingTransferLease,
  incomingTransferOverlap,
  incomingTransferPoll,
  incomingTransferRetry,
  incomingTransferSlice
} from "../../domain/policies/PaymentPolicies.ts"
import { Invalid } from "../../domain/Failure.ts"
import { cleanName, cleanText, cleanWords } from "../../domain/ProviderText.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import type { AccountIssuer } from "../../providers/port/AccountIssuer.ts"
import { fullCapacity, makeProviderSlots } from "../../platform/database/ProviderQueues.ts"
import { workThrough } from "../../platform/database/WorkQueues.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { IncomingTransfers } from "./IncomingTransfers.ts"
import { IncomingTransferStore } from "./IncomingTransferStore.ts"
import { type PendingDetails, railIn, VirtualAccountStore, type WantedDetails } from "./VirtualAccountStore.ts"

/** Third parties before the sandbox's simulators. */
const candidates: ReadonlyArray<ProviderName> = [...thirdPartyNames, ...builtInRails]

const noIssuer = (currency: string): string =>
  `No configured provider issues details in ${currency}. Fund the account by payins with virtual_account_id, or from the settlement balance.`

const make = Effect.gen(function* () {
  const accounts = yield* VirtualAccountStore
  const lists = yield* IncomingTransferStore
  const transfers = yield* IncomingTransfers
  const organizations = yield* Organizations
  const providers = yield* Providers

  const issuerNamed = (name: ProviderName) => Effect.map(providers.find(name, null), (provider) => provider?.accounts)

  /** Providers that issue details in a currency, in the order in which they are asked. */
  const issuersOf = (currency: string) =>
    Effect.filter(candidates, (name) =>
      Effect.map(issuerNamed(name), (issuer) => issuer?.currencies.includes(currency) === true)
    )

  const change = Effect.fnUntraced(function* (pending: PendingDetails) {
    const { account_id, currency, details_tries, holder, org_id } = pending
    const later = { _tag: "pending", issuer: pending.issuer, dueIn: accountDetailsPause(details_tries) } as const
    const issuer = yield* issuerNamed(pending.issuer)
    // Switched off meanwhile: it may have issued them, so no other provider is asked.
    if (issuer === undefined) return later
    const organization = yield* organizations.find(org_id)
    const country = Option.getOrUndefined(organization)?.country ?? ""
    const answer = yield* issuer.issue({ reference: account_id, currency, country, holder })
    switch (answer._tag) {
      case "Issued": {
        const issuerReference = cleanName(answer.providerReference)
        if (issuerReference === null || issuerReference === "") return later
        // A provider may give out one address twice: transfers would not tell the accounts apart.
        const owner = yield* accounts.findByIssuer(pending.issuer, issuerReference)
        if (Option.exists(owner, (one) => one.account_id !== account_id)) {
          return { _tag: "refused", message: `${pending.issuer} gave the details of another account.` } as const
        }
        const details = Object.entries(answer.details).map(([name, value]) => [name, cleanText(value)] as const)
        return { _tag: "issued", issuerReference, details: Object.fromEntries(details) } as const
      }
      case "NotIssued": {
        const all = yield* issuersOf(currency)
        const next = all[all.indexOf(pending.issuer) + 1]
        yield* Effect.logWarning(`${pending.issuer} issued no details: ${answer.reason}`)
        return next === undefined
          ? ({ _tag: "refused", message: cleanWords(`${pending.issuer}: ${answer.reason}`) } as const)
          : ({ _tag: "pending", issuer: next, dueIn: Duration.zero } as const)
      }
      case "MaybeIssued":
        yield* Effect.logWarning(`${pending.issuer} may have issued details, it is asked again: ${answer.reason}`)
        return later
    }
  })

  const ask = (pending: PendingDetails) =>
    Effect.flatMap(change(pending), (changed) => accounts.changeDetails(pending, changed)).pipe(
      Effect.catchAllCause((cause) => Effect.logError("Account details were not asked for; it is repeated", cause)),
      Effect.annotateLogs({ account_id: pending.account_id })
    )

  /**
   * Reads a list and records its transfers. A list that is too long is read in slices of time, and how far it was read is
   * kept after each. The shortest slice that is still too long is skipped with an alert: callbacks report it too.
   */
  const listBetween = Effect.fnUntraced(function* (
    provider: ProviderName,
    incoming: NonNullable<AccountIssuer["incoming"]>,
    since: Date,
    now: Date
  ) {
    const shortest = Duration.toMillis(incomingTransferSlice)
    let from = since
    let span = now.getTime() - since.getTime()
    while (from < now) {
      const until = new Date(Math.min(now.getTime(), from.getTime() + span))
      const found = yield* incoming(from, until < now ? until : undefined).pipe(
        Effect.asSome,
        Effect.catchIf(
          ({ isTooLong }) => isTooLong === true,
          () => Effect.succeedNone
        )
      )
      if (Option.isNone(found) && until.getTime() - from.getTime() > shortest) {
        span = Math.max(shortest, (until.getTime() - from.getTime()) / 2)
        continue
      }
      if (Option.isNone(found)) {
        const message = `${provider} lists too many incoming transfers from ${from.toISOString()} to ${until.toISOString()}: compare them with its dashboard.`
        yield* alertOperator("transfer_list_too_long", message, { provider })
      } else {
        for (const transfer of found.value) yield* transfers.record({ provider, account: null }, transfer)
        span *= 2
      }
      yield* lists.listed(provider, until < now ? incomingTransferLease : incomingTransferPoll, until)
      from = until
    }
  })

  /** Reads the list of a provider if it is due; a list that fails is read again from the same time. */
  const list = Effect.fnUntraced(function* (provider: ProviderName) {
    const incoming = (yield* issuerNamed(provider))?.incoming
    if (incoming === undefined) return
    const claimed = yield* lists.claimList(provider)
    if (Option.isNone(claimed)) return
    const now = new Date(yield* Clock.currentTimeMillis)
    const since = new Date(claimed.value.getTime() - Duration.toMillis(incomingTransferOverlap))
    yield* listBetween(provider, incoming, since, now).pipe(
      Effect.catchTag("NotListed", ({ reason }) =>
        Effect.zipRight(
          Effect.logWarning(`${provider} did not list incoming transfers: ${reason}`),
          lists.listed(provider, incomingTransferRetry)
        )
      )
    )
  })

  const listOne = (provider: ProviderName) =>
    Effect.catchAllCause(list(provider), (cause) =>
      Effect.logError(`The incoming transfers of ${provider} could not be recorded; they are listed again`, cause)
    )

  const slots = yield* makeProviderSlots(accountDetailsConcurrency)
  const listSlots = yield* makeProviderSlots(1)

  /** Begins what is due, and does not wait for providers. */
  const beginDue = Effect.gen(function* () {
    const due = yield* accounts.claimDetails(slots.room())
    yield* Effect.forEach(due, (pending) => slots.run(pending.issuer, pending.org_id, ask(pending)), { discard: true })
    yield* Effect.forEach(listSlots.room(), ({ provider }) => listSlots.run(provider, null, listOne(provider)), {
      discard: true
    })
    return { foundAny: due.length > 0 || slots.isFull() }
  })

  return {
    /** Details that a new account gets, or the reason why it gets none. Undefined: none were asked for. */
    plan: Effect.fnUntraced(function* (
      { currency, holder, payment_rail }: typeof CreateVirtualAccount.Type,
      owner: WantedDetails["holder"]
    ) {
      if (payment_rail === undefined || payment_rail === null) return undefined
      if (payment_rail !== railIn(currency)) {
        return yield* new Invalid({
          message: `payment_rail: must be ${railIn(currency)} for an account in ${currency}.`
        })
      }
      const { bank_account, email, name } = holder ?? {}
      const phone = holder?.phone ?? owner.phone
      const all = yield* issuersOf(currency)
      // A simulator does not stand in for a third party, or the sandbox would take what live mode refuses.
      const thirdParties = all.filter((one) => !builtInRails.some((rail) => rail === one))
      const issuers = thirdParties.length > 0 ? thirdParties : all
      const willing = yield* Effect.filter(issuers, (one) =>
        Effect.map(issuerNamed(one), (found) => phone !== null || found?.needsPhone !== true)
      )
      const [issuer = null] = willing
      if (issuer === null && issuers.length > 0) {
        const message = `holder.phone: is missing: ${issuers.join(", ")} needs it to issue details in ${currency}.`
        return yield* new Invalid({ message })
      }
      return {
        payment_rail,
        issuer,
        details_message: issuer === null ? noIssuer(currency) : null,
        holder: { name: name ?? owner.name, email: email ?? owner.email, phone, bank_account }
      } satisfies WantedDetails
    }),
    /** Asks for all details that are due, reads all lists that are due, and waits for the answers. */
    runOnce: Effect.gen(function* () {
      const due = yield* accounts.claimDetails(fullCapacity(accountDetailsConcurrency))
      yield* Effect.forEach(due, ask, { concurrency: "unbounded", discard: true })
      yield* Effect.forEach(providerNames, listOne, { concurrency: "unbounded", discard: true })
    }),
    worker: Effect.zipRight(
      // Transfers that arrived while no instance ran are found at once.
      Effect.forEach(providerNames, (name) =>
        Effect.flatMap(issuerNamed(name), (issuer) =>
          issuer?.incoming === undefined ? Effect.void : lists.listSoon(name)
        )
      ),
      workThrough("account_details", beginDue)
    )
  }
})

export class AccountDetails extends Context.Tag("corridor/AccountDetails")<
  AccountDetails,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.scoped(AccountDetails, make)
}
