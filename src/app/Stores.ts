/** Every store, on PostgreSQL or in memory: the one seam at which a test swaps the database out. */
import { Layer } from "effect"
import { VirtualAccountStore } from "../treasury/accounts/VirtualAccountStore.ts"
import { VirtualTransactionStore } from "../treasury/accounts/VirtualTransactionStore.ts"
import { analyticsStoreMemory } from "../payments/analytics/AnalyticsMemory.ts"
import { analyticsStoreSql } from "../payments/analytics/AnalyticsSql.ts"
import { closedDaysMemory } from "../payments/analytics/ClosedDaysMemory.ts"
import { closedDaysSql } from "../payments/analytics/ClosedDaysSql.ts"
import { ApiKeyStore } from "../people/apiKeys/ApiKeyStore.ts"
import { auditStoreMemory } from "../platform/audit/AuditMemory.ts"
import { auditStoreSql } from "../platform/audit/AuditSql.ts"
import { CallerStore } from "../people/auth/CallerStore.ts"
import { beneficiaryStoreMemory } from "../payments/beneficiaries/BeneficiaryMemory.ts"
import { beneficiaryStoreSql } from "../payments/beneficiaries/BeneficiarySql.ts"
import { EscrowStore } from "../treasury/escrow/EscrowStore.ts"
import { FeeRuleStore } from "../money/fees/FeeRuleStore.ts"
import { MemoryDatabase } from "../platform/database/MemoryDatabase.ts"
import { Transactor } from "../platform/database/Transactor.ts"
import { Readiness } from "../platform/http/SystemRoutes.ts"
import { IdempotencyStore } from "../platform/idempotency/IdempotencyStore.ts"
import { OwnerStore } from "../platform/idempotency/OwnerStore.ts"
import { LedgerStore } from "../money/ledger/LedgerStore.ts"
import { LinkStore } from "../hosted/links/LinkStore.ts"
import { KybStore } from "../people/kyb/KybStore.ts"
import { MessageCounts } from "../platform/notifications/MessageCounts.ts"
import { NotificationStore } from "../platform/notifications/NotificationStore.ts"
import { InvitationStore } from "../people/members/InvitationStore.ts"
import { MemberStore } from "../people/members/MemberStore.ts"
import { OrganizationStore } from "../people/organizations/OrganizationStore.ts"
import { paymentStoreMemory } from "../payments/store/PaymentMemory.ts"
import { paymentStoreSql } from "../payments/store/PaymentSql.ts"
import { strayCallbackStoreMemory } from "../payments/store/StrayCallbackMemory.ts"
import { strayCallbackStoreSql } from "../payments/store/StrayCallbackSql.ts"
import { ProviderConfigStore } from "../providers/configs/ProviderConfigStore.ts"
import { RailStore } from "../providers/sandbox/RailStore.ts"
import { RateLockStore } from "../money/rates/RateLockStore.ts"
import { RateStore } from "../money/rates/RateStore.ts"
import { SecretStore } from "../platform/secrets/SecretStore.ts"
import { UserStore } from "../people/users/UserStore.ts"
import { VerificationStore } from "../people/verification/VerificationStore.ts"
import { DeadLetterStore } from "../webhooks/delivery/DeadLetterStore.ts"
import { QueueStore } from "../webhooks/delivery/QueueStore.ts"
import { DeliveryStore } from "../webhooks/DeliveryStore.ts"
import { EventStore } from "../webhooks/EventStore.ts"
import { WebhookIssues } from "../webhooks/WebhookIssues.ts"
import { WebhookStore } from "../webhooks/WebhookStore.ts"

export const StoresLive = Layer.mergeAll(
  Transactor.layer,
  analyticsStoreSql,
  ApiKeyStore.layer,
  auditStoreSql,
  beneficiaryStoreSql,
  CallerStore.layer,
  closedDaysSql,
  DeadLetterStore.layer,
  DeliveryStore.layer,
  EscrowStore.layer,
  EventStore.layer,
  FeeRuleStore.layer,
  IdempotencyStore.layer,
  LedgerStore.layer,
  LinkStore.layer,
  KybStore.layer,
  MessageCounts.layer,
  NotificationStore.layer,
  InvitationStore.layer,
  MemberStore.layer,
  OrganizationStore.layer,
  OwnerStore.layer,
  paymentStoreSql,
  ProviderConfigStore.layer,
  QueueStore.layer,
  RailStore.layer,
  RateLockStore.layer,
  RateStore.layer,
  Readiness.layer,
  SecretStore.layer,
  strayCallbackStoreSql,
  WebhookIssues.layer,
  UserStore.layer,
  VerificationStore.layer,
  VirtualAccountStore.layer,
  VirtualTransactionStore.layer,
  WebhookStore.layer
)

export const StoresMemory = Layer.mergeAll(
  Transactor.layerMemory,
  analyticsStoreMemory,
  ApiKeyStore.layerMemory,
  auditStoreMemory,
  beneficiaryStoreMemory,
  CallerStore.layerMemory,
  closedDaysMemory,
  DeadLetterStore.layerMemory,
  DeliveryStore.layerMemory,
  EscrowStore.layerMemory,
  EventStore.layerMemory,
  FeeRuleStore.layerMemory,
  IdempotencyStore.layerMemory,
  LedgerStore.layerMemory,
  LinkStore.layerMemory,
  KybStore.layerMemory,
  MessageCounts.layerMemory,
  NotificationStore.layerMemory,
  InvitationStore.layerMemory,
  MemberStore.layerMemory,
  OrganizationStore.layerMemory,
  OwnerStore.layerMemory,
  paymentStoreMemory,
  ProviderConfigStore.layerMemory,
  QueueStore.layerMemory,
  RailStore.layerMemory,
  RateLockStore.layerMemory,
  RateStore.layerMemory,
  Readiness.layerMemory,
  SecretStore.layerMemory,
  strayCallbackStoreMemory,
  WebhookIssues.layerMemory,
  UserStore.layerMemory,
  VerificationStore.layerMemory,
  VirtualAccountStore.layerMemory,
  VirtualTransactionStore.layerMemory,
  WebhookStore.layerMemory
).pipe(Layer.provide(MemoryDatabase.layer))
