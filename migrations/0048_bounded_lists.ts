import { indexes } from "../src/platform/database/Migration.ts"

/**
 * Balances of an organisation are read page by page in the order of their names, whatever the database's collation.
 * Callbacks about no payment are kept up to a bound for each account of a provider: the oldest of one are found.
 */
export default indexes({
  besidePrevious: true,
  create: {
    ledger_balances_by_name: 'on ledger_balances (org_id, account collate "C")',
    provider_callbacks_of_account:
      "on provider_callbacks (provider, coalesce(account, '00000000-0000-0000-0000-000000000000'), received_at desc) where payment_id is null"
  }
})
