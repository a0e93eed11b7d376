import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { LiveBadge } from '../ui/LiveBadge.tsx'
import { DeniedState, EmptyState, ErrorState, Skeleton } from '../ui/States.tsx'
import { showToast } from '../ui/toasts.ts'
import { Part } from './Part.tsx'

export function StatesPart() {
  return (
    <div className="space-y-8">
      <Part title="Toasts, one at a time">
        <div className="flex gap-2">
          <Button onClick={() => showToast({ title: 'Success', text: 'Number assigned successfully' })}>
            Success
          </Button>
          <Button
            onClick={() =>
              showToast({ tone: 'bad', title: 'No rows selected', text: 'Please select rows to copy' })
            }
          >
            Failure
          </Button>
        </div>
      </Part>
      <Part title="Live">
        <div className="flex gap-4">
          <LiveBadge state="live" />
          <LiveBadge state="reconnecting" age="12 s ago" />
          <LiveBadge state="paused" />
        </div>
      </Part>
      <Part title="Empty">
        <Card isFlush>
          <EmptyState title="No SMS records found">
            Premium SMS traffic will appear here once providers connect
          </EmptyState>
        </Card>
      </Part>
      <Part title="Error and denied">
        <Card isFlush>
          <ErrorState
            title="Failed to fetch records"
            reason="The database did not answer. Nothing is lost."
            requestId="7f3a91c2"
            onRetry={() => showToast({ title: 'Tried again' })}
          />
        </Card>
        <Card isFlush>
          <DeniedState>You don't have permission to access user management.</DeniedState>
        </Card>
      </Part>
      <Part title="Loading">
        <Card>
          <div className="space-y-4">
            <Skeleton className="w-full" />
            <Skeleton className="w-2/3" />
          </div>
        </Card>
      </Part>
    </div>
  )
}
