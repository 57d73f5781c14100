/** Every store, on PostgreSQL or in memory: the one seam at which a test swaps the database out. */
import { Layer } from "effect"
import { virtualAccountStoreMemory } from "../treasury/accounts/VirtualAccountMemory.ts"
import { virtualAccountStoreSql } from "../treasury/accounts/VirtualAccountSql.ts"
import { virtualTransactionStoreMemory } from "../treasury/accounts/VirtualTransactionMemory.ts"
import { virtualTransactionStoreSql } from "../treasury/accounts/VirtualTransactionSql.ts"
import { AnalyticsStore } from "../payments/analytics/AnalyticsStore.ts"
import { ClosedDays } from "../payments/analytics/ClosedDays.ts"
import { ApiKeyStore } from "../people/apiKeys/ApiKeyStore.ts"
import { auditStoreMemory } from "../platform/audit/AuditMemory.ts"
import { auditStoreSql } from "../platform/audit/AuditSql.ts"
import { CallerStore } from "../people/auth/CallerStore.ts"
import { BeneficiaryStore } from "../payments/beneficiaries/BeneficiaryStore.ts"
import { escrowStoreMemory } from "../treasury/escrow/EscrowMemory.ts"
import { escrowStoreSql } from "../treasury/escrow/EscrowSql.ts"
import { feeRuleStoreMemory } from "../money/fees/FeeRuleMemory.ts"
import { feeRuleStoreSql } from "../money/fees/FeeRuleSql.ts"
import { MemoryDatabase } from "../platform/database/MemoryDatabase.ts"
import { Transactor } from "../platform/database/Transactor.ts"
import { Readiness } from "../platform/http/SystemRoutes.ts"
import { IdempotencyStore } from "../platform/idempotency/IdempotencyStore.ts"
import { OwnerStore } from "../platform/idempotency/OwnerStore.ts"
import { ledgerStoreMemory } from "../money/ledger/LedgerMemory.ts"
import { ledgerStoreSql } from "../money/ledger/LedgerSql.ts"
import { linkStoreMemory } from "../hosted/links/LinkMemory.ts"
import { linkStoreSql } from "../hosted/links/LinkSql.ts"
import { KybStore } from "../people/kyb/KybStore.ts"
import { MessageCounts } from "../platform/notifications/MessageCounts.ts"
import { NotificationStore } from "../platform/notifications/NotificationStore.ts"
import { InvitationStore } from "../people/members/InvitationStore.ts"
import { MemberStore } from "../people/members/MemberStore.ts"
import { OrganizationStore } from "../people/organizations/OrganizationStore.ts"
import { PaymentStore } from "../payments/store/PaymentStore.ts"
import { StrayCallbackStore } from "../payments/store/StrayCallbackStore.ts"
import { providerConfigStoreMemory } from "../providers/configs/ProviderConfigMemory.ts"
import { providerConfigStoreSql } from "../providers/configs/ProviderConfigSql.ts"
import { railStoreMemory } from "../providers/sandbox/RailMemory.ts"
import { railStoreSql } from "../providers/sandbox/RailSql.ts"
import { rateLockStoreMemory } from "../money/rates/RateLockMemory.ts"
import { rateLockStoreSql } from "../money/rates/RateLockSql.ts"
import { rateStoreMemory } from "../money/rates/RateMemory.ts"
import { rateStoreSql } from "../money/rates/RateSql.ts"
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
  AnalyticsStore.layer,
  ApiKeyStore.layer,
  auditStoreSql,
  BeneficiaryStore.layer,
  CallerStore.layer,
  ClosedDays.layer,
  DeadLetterStore.layer,
  DeliveryStore.layer,
  escrowStoreSql,
  EventStore.layer,
  feeRuleStoreSql,
  IdempotencyStore.layer,
  ledgerStoreSql,
  linkStoreSql,
  KybStore.layer,
  MessageCounts.layer,
  NotificationStore.layer,
  InvitationStore.layer,
  MemberStore.layer,
  OrganizationStore.layer,
  OwnerStore.layer,
  PaymentStore.layer,
  providerConfigStoreSql,
  QueueStore.layer,
  railStoreSql,
  rateLockStoreSql,
  rateStoreSql,
  Readiness.layer,
  SecretStore.layer,
  StrayCallbackStore.layer,
  WebhookIssues.layer,
  UserStore.layer,
  VerificationStore.layer,
  virtualAccountStoreSql,
  virtualTransactionStoreSql,
  WebhookStore.layer
)

export const StoresMemory = Layer.mergeAll(
  Transactor.layerMemory,
  AnalyticsStore.layerMemory,
  ApiKeyStore.layerMemory,
  auditStoreMemory,
  BeneficiaryStore.layerMemory,
  CallerStore.layerMemory,
  ClosedDays.layerMemory,
  DeadLetterStore.layerMemory,
  DeliveryStore.layerMemory,
  escrowStoreMemory,
  EventStore.layerMemory,
  feeRuleStoreMemory,
  IdempotencyStore.layerMemory,
  ledgerStoreMemory,
  linkStoreMemory,
  KybStore.layerMemory,
  MessageCounts.layerMemory,
  NotificationStore.layerMemory,
  InvitationStore.layerMemory,
  MemberStore.layerMemory,
  OrganizationStore.layerMemory,
  OwnerStore.layerMemory,
  PaymentStore.layerMemory,
  providerConfigStoreMemory,
  QueueStore.layerMemory,
  railStoreMemory,
  rateLockStoreMemory,
  rateStoreMemory,
  Readiness.layerMemory,
  SecretStore.layerMemory,
  StrayCallbackStore.layerMemory,
  WebhookIssues.layerMemory,
  UserStore.layerMemory,
  VerificationStore.layerMemory,
  virtualAccountStoreMemory,
  virtualTransactionStoreMemory,
  WebhookStore.layerMemory
).pipe(Layer.provide(MemoryDatabase.layer))
