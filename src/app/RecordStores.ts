/** The stores of records on PostgreSQL: of everything but payments, providers and what hangs on them. */
import { Layer } from "effect"
import { Transactor } from "../platform/database/Transactor.ts"
import { apiKeyStoreSql } from "../people/apiKeys/ApiKeySql.ts"
import { auditStoreSql } from "../platform/audit/AuditSql.ts"
import { deadLetterStoreSql } from "../webhooks/delivery/DeadLetterSql.ts"
import { eventStoreSql } from "../webhooks/EventSql.ts"
import { feeRuleStoreSql } from "../money/fees/FeeRuleSql.ts"
import { invitationStoreSql, memberStoreSql } from "../people/members/MemberSql.ts"
import { ledgerStoreSql } from "../money/ledger/LedgerSql.ts"
import { notificationStoreSql } from "../platform/notifications/NotificationSql.ts"
import { organizationStoreSql } from "../people/organizations/OrganizationSql.ts"
import { rateLockStoreSql } from "../money/rates/RateLockSql.ts"
import { rateStoreSql } from "../money/rates/RateSql.ts"
import { secretStoreSql } from "../platform/secrets/SecretSql.ts"
import { userStoreSql } from "../people/users/UserSql.ts"
import { virtualAccountStoreSql, virtualTransactionStoreSql } from "../treasury/accounts/VirtualAccountSql.ts"
import { webhookStoreSql } from "../webhooks/WebhookSql.ts"

export const RecordStoresLive = Layer.mergeAll(
  Transactor.layer,
  apiKeyStoreSql,
  auditStoreSql,
  deadLetterStoreSql,
  eventStoreSql,
  feeRuleStoreSql,
  invitationStoreSql,
  ledgerStoreSql,
  memberStoreSql,
  notificationStoreSql,
  organizationStoreSql,
  rateLockStoreSql,
  rateStoreSql,
  secretStoreSql,
  userStoreSql,
  virtualAccountStoreSql,
  virtualTransactionStoreSql,
  webhookStoreSql
)
