import { Refusal } from '@tollgate/contract/errors.ts'
import { liveFeedRoutes } from '@tollgate/contract/live-feed/live-feed.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { bindRoutes, type Actor, type BoundRoutes, type CallContext } from '../http/handlers.ts'
import { parsePosition, type LogPosition } from '../ingest/index.ts'
import { textReaderOf } from '../records/index.ts'
import { eventContents, type ContentsDeps, type ReadEventContents } from './event-contents.ts'
import type { LiveFeed } from './live-feed.ts'
import type { EventPolls } from './poll-events.ts'

export interface LiveFeedRouteDeps {
  readonly contents: ContentsDeps
  readonly feed: LiveFeed<Actor>
  readonly polls: EventPolls
}

export function bindLiveFeedRoutes({ contents, feed, polls }: LiveFeedRouteDeps): BoundRoutes {
  return bindRoutes(liveFeedRoutes, {
    pollEvents: ({ query }, context) =>
      polls.poll(context.actor, { ...query, contents: contentsFor(query, context, contents) }, context),
    async streamEvents({ query }, context) {
      const { actor, signal } = context
      const stream = await feed.open(
        actor,
        startPositionOf(context.header('last-event-id') ?? query.lastEventId),
        { contents: contentsFor(query, context, contents), piece: context.piece },
      )
      // The reader may have gone while the stream was being opened.
      if (signal.aborted) stream.destroy()
      else signal.addEventListener('abort', () => stream.destroy(), { once: true })
      return { contentType: 'text/event-stream; charset=utf-8', stream }
    },
  })
}

/** For a caller who asked for texts; throws Refusal forbidden when the role or the key may not read them. */
function contentsFor(
  { texts }: { readonly texts: 'true' | 'false' },
  { actor, ip }: CallContext<Actor>,
  deps: ContentsDeps,
): ReadEventContents | undefined {
  if (texts === 'false') return undefined
  if (actor.scopes?.includes('texts:read') === false)
    throw new Refusal('forbidden', 'This key lacks the scope texts:read, which texts=true needs.')
  if (!isPermitted(actor.role, 'textRead'))
    throw new Refusal('forbidden', 'Your role may not read texts. Ask without texts=true.')
  return eventContents(deps, { ...textReaderOf(actor), username: actor.username, ip })
}

/** Throws Refusal invalid for a text that is no id of an event of this feed. */
function startPositionOf(id: string | undefined): LogPosition | undefined {
  if (id === undefined || id === '') return undefined
  const position = parsePosition(id)
  if (position === undefined)
    throw new Refusal('invalid', 'The feed cannot resume from there. Open it without an event id.', {
      fields: { lastEventId: 'Not an event id of this feed' },
    })
  return position
}
