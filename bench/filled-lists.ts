// A gateway with 100,000 numbers, 10,000 users, 10,000 requests and 100,000 audit entries.
import { sql } from 'kysely'
import { execute, type Db } from '@tollgate/server/platform/db.ts'
import { makeClient, type Call } from '@tollgate/server/test/http/operator.ts'
import { withGateway } from './with-gateway.ts'

/** The client with every fifth number. */
export const filledClient = 'benchclient'

/** The values are pseudo-random, the same in every run: an index on one column must not happen to order another. */
async function fill(db: Db): Promise<void> {
  await execute(
    db,
    `insert into users (username, email, first_name, last_name, password_hash, role, status)
       select 'user' || i, 'user' || i || '@example.org', 'First' || i, 'Last' || (i % 977), 'x', 'user',
         case when i % 20 = 0 then 'suspended' else 'active' end from generate_series(1, 10000) i;
     insert into ranges (range_number, start_number, end_number, tariff_micro)
       select 'R' || i, '44' || lpad(i::text, 3, '0') || '00000', '44' || lpad(i::text, 3, '0') || '99999', 100000 + i
       from generate_series(0, 99) i;
     insert into numbers (number, description, country, country_code, holder_id, held_from, account_number, tariff_micro,
         operator, price_micro, status, type, created_at)
       select '44' || lpad((i % 100)::text, 3, '0') || lpad((i / 100)::text, 5, '0'), 'Line ' || i,
         (array['United Kingdom', 'Germany', 'France', 'Spain'])[1 + a % 4], (array['+44', '+49', '+33', '+34'])[1 + a % 4],
         case when b % 3 = 0 then null else 1 + i % 10000 end, case when b % 3 = 0 then null else now() end,
         case when b % 3 = 0 then null else 'ACC-' || (1001 + i) end, case when c % 2 = 0 then 1000 * (b % 5000) end,
         'Telco ' || c % 10, case when d % 7 = 0 then 10000 * (1 + c % 300) end,
         case when d % 25 = 0 then 'suspended' when d % 500 = 1 then 'inactive' else 'active' end,
         case when c % 1000 = 2 then 'toll-free' when c % 9 = 0 then 'standard' else 'premium' end,
         now() - i * interval '1 minute'
       from generate_series(0, 99999) i,
         lateral (select abs(hashint4(i)) as a, abs(hashint4(i + 200000)) as b, abs(hashint4(i + 400000)) as c,
           abs(hashint4(i + 600000)) as d) as drawn;
     insert into number_holders (number_id, user_id, held_from) select id, holder_id, held_from from numbers where holder_id is not null;
     insert into number_requests (user_id, business_purpose, expected_volume, status, requested_number)
       select 1 + i % 10000, 'Votes ' || i, '1-50', (array['pending', 'approved', 'rejected'])[1 + i % 3],
         '44' || lpad(i::text, 8, '0') from generate_series(1, 10000) i;
     -- Below the first id of the chain, which the gateway goes on writing.
     insert into audit_entries (id, at, actor_id, actor, ip, action, object_type, object_id, after, key_id, hash)
       select i - 100001, now() - (100000 - i) * interval '1 minute', 1, case when i % 3 = 0 then 'support' else 'admin' end, '127.0.0.1',
         case when i % 5000 = 0 then 'number.delete' when i % 2 = 0 then 'user.edit' else 'number.edit' end,
         case when i % 2 = 0 then 'user' else 'number' end, (i % 9000)::text, '{"status": "active"}', 1, '\\x00'
       from generate_series(1, 100000) i;
     analyze;`,
  )
}

/** Gives a client every fifth number. */
async function giveNumbers(db: Db, clientId: number): Promise<void> {
  await sql`update numbers set holder_id = ${clientId}, held_from = now(),
      account_number = coalesce(account_number, 'ACC-' || (500000 + id)) where id % 5 = 0`.execute(db)
  await execute(db, 'vacuum analyze numbers')
}

/** Gives the gateway's address and its admin's calls to `measure`. */
export function withFilledLists<T>(measure: (url: string, admin: Call) => Promise<T>): Promise<T> {
  return withGateway(
    ({ db }) => fill(db),
    async ({ gateway, database, call }) => {
      await giveNumbers(database.db, await makeClient(call, filledClient))
      return measure(gateway.url, call)
    },
  )
}
