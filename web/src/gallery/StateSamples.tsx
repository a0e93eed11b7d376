import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { LiveBadge } from '../ui/LiveBadge.tsx'
import { DeniedState } from '../ui/DeniedState.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx'
import { showToast } from '../ui/toasts.ts'
import { GallerySection } from './GallerySection.tsx'

export function StateSamples() {
  return (
    <div className="space-y-8">
      <GallerySection title="Toasts, one at a time">
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
      </GallerySection>
      <GallerySection title="Live">
        <div className="flex gap-4">
          <LiveBadge state="live" />
          <LiveBadge state="reconnecting" age="12 s ago" />
          <LiveBadge state="paused" />
        </div>
      </GallerySection>
      <GallerySection title="Empty">
        <Card isFlush>
          <EmptyState title="No SMS records found">
            Premium SMS traffic will appear here once providers connect
          </EmptyState>
        </Card>
      </GallerySection>
      <GallerySection title="Error and denied">
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
      </GallerySection>
      <GallerySection title="Loading">
        <Card>
          <div className="space-y-4">
            <Skeleton className="w-full" />
            <Skeleton className="w-2/3" />
          </div>
        </Card>
      </GallerySection>
    </div>
  )
}
