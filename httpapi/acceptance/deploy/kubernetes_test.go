// Package deploy checks the files of deploy against the types of the programs that read them.
package deploy

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"

	"pubd/bench/testkit"
)

// Each object has only fields that Kubernetes knows, with values of their types, and selects the pods of pubd by their
// label and ports by the names they have.
func TestKubernetes(t *testing.T) {
	objects := map[string]int{}
	ports := map[string]bool{}
	var selectors []map[string]string
	var named []string
	for _, file := range testkit.Must(filepath.Glob("../../../deploy/*.yaml"))(t) {
		for _, document := range bytes.Split(testkit.Must(os.ReadFile(file))(t), []byte("\n---\n")) {
			var kind struct{ APIVersion, Kind string }
			testkit.OK(t, yaml.Unmarshal(document, &kind))
			if kind.Kind == "" {
				continue // of Prometheus
			}
			read := func(object any) {
				err := yaml.UnmarshalStrict(document, object)
				testkit.FailIf(t, err != nil, "%s: %s: %v", file, kind.Kind, err)
			}
			objects[kind.APIVersion+" "+kind.Kind]++
			switch kind.Kind {
			case "Deployment":
				var d apps.Deployment
				read(&d)
				selectors = append(selectors, d.Spec.Selector.MatchLabels, d.Spec.Template.Labels)
				for _, port := range d.Spec.Template.Spec.Containers[0].Ports {
					ports[port.Name] = true
				}
			case "Service":
				var s core.Service
				read(&s)
				selectors, named = append(selectors, s.Spec.Selector), append(named, s.Spec.Ports[0].TargetPort.StrVal)
			case "Ingress":
				var i networking.Ingress
				read(&i)
				named = append(named, i.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Port.Name)
			case "NetworkPolicy":
				var n networking.NetworkPolicy
				read(&n)
				selectors = append(selectors, n.Spec.PodSelector.MatchLabels)
				for _, rule := range n.Spec.Ingress {
					named = append(named, rule.Ports[0].Port.StrVal)
				}
			case "PodDisruptionBudget":
				var b policy.PodDisruptionBudget
				read(&b)
				selectors = append(selectors, b.Spec.Selector.MatchLabels)
			case "PodMonitor":
				var m monitoring.PodMonitor
				read(&m)
				selectors, named = append(selectors, m.Spec.Selector.MatchLabels), append(named, *m.Spec.PodMetricsEndpoints[0].Port)
			}
		}
	}
	testkit.Equal(t, "objects", objects, map[string]int{"apps/v1 Deployment": 2, "v1 Service": 1, "networking.k8s.io/v1 Ingress": 1,
		"networking.k8s.io/v1 NetworkPolicy": 1, "policy/v1 PodDisruptionBudget": 1, "monitoring.coreos.com/v1 PodMonitor": 1})
	for _, selector := range selectors {
		testkit.Equal(t, "selector", selector, map[string]string{"app": "pubd"})
	}
	for _, name := range named {
		testkit.Equal(t, "port "+name, ports[name], true)
	}
}
