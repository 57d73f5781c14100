import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * By which terms an organisation's payments are made: its settings, its fees, and who serves its corridors. They change
 * rarely and are read for every payment; so each change gives them another version, in its own transaction and whoever
 * makes it, and what was read at one version need not be read again at the same. What holds for everyone has the nil id.
 * A version is drawn, not counted: after a failover that lost a change, it is not given to another one.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table terms (
      org_id uuid primary key,
      version uuid not null
    );

    create function change_terms(org uuid) returns void language sql as $$
      insert into terms (org_id, version)
      values (coalesce(org, '00000000-0000-0000-0000-000000000000'), gen_random_uuid())
      on conflict (org_id) do update set version = excluded.version
    $$;

    create function terms_changed() returns trigger language plpgsql as $$
    begin
      if tg_op <> 'DELETE' then
        perform change_terms(new.org_id);
      end if;
      if tg_op = 'DELETE' or (tg_op = 'UPDATE' and old.org_id is distinct from new.org_id) then
        perform change_terms(old.org_id);
      end if;
      return null;
    end $$;

    create trigger organizations_terms after insert or update or delete on organizations
      for each row execute function terms_changed();
    create trigger fee_rules_terms after insert or update or delete on fee_rules
      for each row execute function terms_changed();
    create trigger provider_configs_terms after insert or update or delete on provider_configs
      for each row execute function terms_changed();

    create function accounts_changed() returns trigger language plpgsql as $$
    begin
      perform change_terms(null);
      return null;
    end $$;

    create trigger provider_accounts_terms after insert or update or delete on provider_accounts
      for each statement execute function accounts_changed();
  `)
  )
)
