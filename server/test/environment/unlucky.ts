// A transaction that PostgreSQL gives up as the victim of a deadlock, so that it is tried again.
import { onTestFinished } from 'vitest'
import { execute, type Db } from '../../src/platform/db.ts'

/** The next transaction that adds to the table fails once, at its commit. */
export async function failNextInsert(db: Db, table: string): Promise<void> {
  // A sequence counts on when all else is undone.
  await execute(
    db,
    `create sequence unlucky_inserts;
     create function be_unlucky() returns trigger language plpgsql as $$ begin
       if nextval('unlucky_inserts') = 1 then raise exception 'deadlock' using errcode = '40P01'; end if;
       return null;
     end $$;
     create constraint trigger unlucky after insert on ${table} deferrable initially deferred
       for each row execute function be_unlucky()`,
  )
  onTestFinished(() =>
    execute(db, `drop trigger unlucky on ${table}; drop function be_unlucky; drop sequence unlucky_inserts`),
  )
}
