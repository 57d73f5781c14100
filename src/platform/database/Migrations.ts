/** The migrations, in order, and what applies those that a database lacks. */
import foundation from "../../../migrations/0001_foundation.ts"
import payments from "../../../migrations/0002_payments.ts"
import actions from "../../../migrations/0003_actions.ts"
import webhooks from "../../../migrations/0004_webhooks.ts"
import ledger from "../../../migrations/0005_ledger.ts"
import people from "../../../migrations/0006_people.ts"
import verification from "../../../migrations/0007_verification.ts"
import analytics from "../../../migrations/0008_analytics.ts"
import books from "../../../migrations/0009_books.ts"
import accounts from "../../../migrations/0010_accounts.ts"
import escrow from "../../../migrations/0011_escrow.ts"
import links from "../../../migrations/0012_links.ts"
import ramps from "../../../migrations/0013_ramps.ts"
import fairWebhooks from "../../../migrations/0014_fair_webhooks.ts"
import claims from "../../../migrations/0015_claims.ts"
import transferRates from "../../../migrations/0016_transfer_rates.ts"
import safetyOfPeople from "../../../migrations/0017_safety_of_people.ts"
import identity from "../../../migrations/0018_identity.ts"
import signals from "../../../migrations/0019_signals.ts"
import ownChanges from "../../../migrations/0020_own_changes.ts"
import accountsOfAttempts from "../../../migrations/0021_accounts_of_attempts.ts"
import providerAccounts from "../../../migrations/0022_provider_accounts.ts"
import ownAccounts from "../../../migrations/0023_own_accounts.ts"
import platformAccounts from "../../../migrations/0024_platform_accounts.ts"
import replacedCredentials from "../../../migrations/0025_replaced_credentials.ts"
import eachReplacedCredential from "../../../migrations/0026_each_replaced_credential.ts"
import filters from "../../../migrations/0027_filters.ts"
import brandedLinks from "../../../migrations/0028_branded_links.ts"
import operations from "../../../migrations/0029_operations.ts"
import spentTokens from "../../../migrations/0030_spent_tokens.ts"
import months from "../../../migrations/0031_months.ts"
import unmatched from "../../../migrations/0032_unmatched.ts"
import less from "../../../migrations/0033_less.ts"
import fairEnquiries from "../../../migrations/0034_fair_enquiries.ts"
import auditNames from "../../../migrations/0035_audit_names.ts"
import standingHints from "../../../migrations/0036_standing_hints.ts"
import sentHeaders from "../../../migrations/0037_sent_headers.ts"
import ledgerDays from "../../../migrations/0038_ledger_days.ts"
import everybody from "../../../migrations/0039_everybody.ts"
import paidLinks from "../../../migrations/0040_paid_links.ts"
import terms from "../../../migrations/0041_terms.ts"
import rateLockUses from "../../../migrations/0042_rate_lock_uses.ts"
import payinExpiry from "../../../migrations/0043_payin_expiry.ts"
import limits from "../../../migrations/0044_limits.ts"
import timelines from "../../../migrations/0045_timelines.ts"
import hintedIds from "../../../migrations/0046_hinted_ids.ts"
import ownPayment from "../../../migrations/0047_own_payment.ts"
import boundedLists from "../../../migrations/0048_bounded_lists.ts"
import escrowPayouts from "../../../migrations/0049_escrow_payouts.ts"
import { runMigrations } from "./MigrationRunner.ts"

export const migrations = {
  "0001_foundation": foundation,
  "0002_payments": payments,
  "0003_actions": actions,
  "0004_webhooks": webhooks,
  "0005_ledger": ledger,
  "0006_people": people,
  "0007_verification": verification,
  "0008_analytics": analytics,
  "0009_books": books,
  "0010_accounts": accounts,
  "0011_escrow": escrow,
  "0012_links": links,
  "0013_ramps": ramps,
  "0014_fair_webhooks": fairWebhooks,
  "0015_claims": claims,
  "0016_transfer_rates": transferRates,
  "0017_safety_of_people": safetyOfPeople,
  "0018_identity": identity,
  "0019_signals": signals,
  "0020_own_changes": ownChanges,
  "0021_accounts_of_attempts": accountsOfAttempts,
  "0022_provider_accounts": providerAccounts,
  "0023_own_accounts": ownAccounts,
  "0024_platform_accounts": platformAccounts,
  "0025_replaced_credentials": replacedCredentials,
  "0026_each_replaced_credential": eachReplacedCredential,
  "0027_filters": filters,
  "0028_branded_links": brandedLinks,
  "0029_operations": operations,
  "0030_spent_tokens": spentTokens,
  "0031_months": months,
  "0032_unmatched": unmatched,
  "0033_less": less,
  "0034_fair_enquiries": fairEnquiries,
  "0035_audit_names": auditNames,
  "0036_standing_hints": standingHints,
  "0037_sent_headers": sentHeaders,
  "0038_ledger_days": ledgerDays,
  "0039_everybody": everybody,
  "0040_paid_links": paidLinks,
  "0041_terms": terms,
  "0042_rate_lock_uses": rateLockUses,
  "0043_payin_expiry": payinExpiry,
  "0044_limits": limits,
  "0045_timelines": timelines,
  "0046_hinted_ids": hintedIds,
  "0047_own_payment": ownPayment,
  "0048_bounded_lists": boundedLists,
  "0049_escrow_payouts": escrowPayouts
}

/** Answers with the migrations that were missing. */
export const migrate = runMigrations(migrations)

/** As a version was of which this migration was the last: for what such a version has written. */
export const migrateTo = (last: number) =>
  runMigrations(Object.fromEntries(Object.entries(migrations).filter(([name]) => Number.parseInt(name, 10) <= last)))
