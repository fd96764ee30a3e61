import { podLinks, type PodLinksOrder } from './pod-links';

void podLinks(JSON.parse(process.argv[1] ?? '') as PodLinksOrder);
