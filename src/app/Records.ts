/**
 * The part of the service that keeps records: of organisations, people, keys, rates, fees, accounts, the books, endpoints
 * and what was sent. What needs no more than that does not wait for payments, providers and pages to be loaded.
 */
import { Layer } from "effect"
import { Fees } from "../money/fees/Fees.ts"
import { Ledger } from "../money/ledger/Ledger.ts"
import { RateQuote } from "../money/rates/RateQuote.ts"
import { Rates } from "../money/rates/Rates.ts"
import { ApiKeys } from "../people/apiKeys/ApiKeys.ts"
import { Members } from "../people/members/Members.ts"
import { Organizations } from "../people/organizations/Organizations.ts"
import { Users } from "../people/users/Users.ts"
import { AuditLog } from "../platform/audit/AuditLog.ts"
import { Outbox } from "../platform/notifications/NotificationStore.ts"
import { Secrets } from "../platform/secrets/Secrets.ts"
import { VirtualAccounts } from "../treasury/accounts/VirtualAccounts.ts"
import { EventPublisher } from "../webhooks/EventPublisher.ts"
import { Webhooks } from "../webhooks/Webhooks.ts"
import { DeadLetters } from "../webhooks/delivery/DeadLetters.ts"
import type { DatabaseLayer } from "./Foundation.ts"
import { graphOn } from "./Graph.ts"
import { RecordStoresLive } from "./Stores.ts"

export const RecordServices = Layer.mergeAll(
  DeadLetters.layer,
  Fees.layer,
  Members.layer,
  Outbox.layer,
  Rates.layer.pipe(Layer.provideMerge(RateQuote.layer)),
  VirtualAccounts.layer,
  Webhooks.layer
).pipe(
  Layer.provideMerge(Layer.merge(ApiKeys.layer, Ledger.layer)),
  Layer.provideMerge(Users.layer),
  Layer.provideMerge(Organizations.layer),
  Layer.provideMerge(Layer.mergeAll(AuditLog.layer, EventPublisher.layer, Secrets.layer))
)

/** On a database that is reached in the given way. */
export const recordsOn = <E>(Connected: DatabaseLayer<E>) =>
  graphOn(Connected, { services: RecordServices, stores: RecordStoresLive, settings: Layer.empty })
