// All components of ui/ in all their states. Only in development builds.
import { TooltipProvider } from '../ui/Tooltip.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { BadgeSamples } from './BadgeSamples.tsx'
import { ChartSamples } from './ChartSamples.tsx'
import { ControlSamples } from './ControlSamples.tsx'
import { StateSamples } from './StateSamples.tsx'
import { TableSamples } from './TableSamples.tsx'

export function GalleryPage() {
  return (
    <TooltipProvider>
      <main className="mx-auto max-w-[90rem] space-y-6 px-9 py-7 max-sm:px-4">
        <PageHeader title="Gallery">The parts every screen is built from</PageHeader>
        <div className="grid gap-9 lg:grid-cols-3">
          <ControlSamples />
          <BadgeSamples />
          <StateSamples />
        </div>
        <TableSamples />
        <ChartSamples />
      </main>
    </TooltipProvider>
  )
}
